import { Kubeconfig, provisionerNotFound, SystemError } from '#clients';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';

/** Under which the provisioner knows the runtime: accounts of instances change, the runtime keeps its own. */
export const tenantOf = ({ subscriptionAccount, globalAccount }: Instance): string =>
  subscriptionAccount ?? globalAccount;

/** While a cluster comes up, the provisioner may answer with something too short to be one. */
const shortestKubeconfig = 10;

/** A way into the cluster. Undefined if there is none, be it that the cluster is gone or that it is not up yet. */
export async function kubeconfigOf(
  { clients }: Services,
  instance: Instance,
  signal: AbortSignal,
): Promise<Kubeconfig | undefined> {
  const { kubeconfig: own } = instance.parameters;
  if (own) return new Kubeconfig(own.reveal());
  if (instance.runtimeId === undefined) return undefined;
  const status = await unlessUnknown(
    clients.provisioner.runtimeStatus(tenantOf(instance), instance.runtimeId, signal),
  );
  const kubeconfig = status?.kubeconfig;
  return kubeconfig && kubeconfig.reveal().length >= shortestKubeconfig ? kubeconfig : undefined;
}

/** Undefined if the provisioner does not know what it was asked about, or not any more. */
export async function unlessUnknown<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SystemError && error.reason === provisionerNotFound) return undefined;
    throw error;
  }
}
