import type { BrokerConfig, ComponentList } from '#clients';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';

/** What Kyma is made of for a plan at a version: the release's own parts, and those that operators add. */
export type KymaParts = {
  readonly list: ComponentList;
  readonly additional: BrokerConfig['additionalComponents'];
};

/** Read anew each time: operators change the configuration without a restart. */
export async function kymaParts(
  services: Services,
  { planName }: Pick<Instance, 'planName'>,
  kymaVersion: string,
  signal: AbortSignal,
): Promise<KymaParts> {
  const { artifacts, controlPlane } = services.clients;
  const [list, { additionalComponents }] = await Promise.all([
    artifacts.components(kymaVersion, signal),
    controlPlane.brokerConfig({ planName, kymaVersion }, signal),
  ]);
  return { list, additional: additionalComponents };
}

/** Kyma comes from the Reconciler, unless Lifecycle Manager brings all of it. */
export const reconcilerInstallsKyma = (
  { clients }: Pick<Services, 'clients'>,
  { planName }: Pick<Instance, 'planName'>,
): boolean => clients.reconciler !== undefined && planName !== 'preview';
