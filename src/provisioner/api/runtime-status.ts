import { SystemError } from '#clients';
import type { StoredOperation } from '#engine';
import {
  gardenerConfigOutput,
  type GardenerConfigOutput,
} from '../shoot/gardener-config-output.ts';
import { hibernationStatus, type HibernationStatus } from '../shoot/hibernation.ts';
import type { KymaConfigInput } from '../config/kyma-input.ts';
import type { Runtime } from '../tables/runtimes-table.ts';
import type { Api } from './api.ts';
import { operationStatus, type OperationStatus } from './operation-status.ts';

/** As the schema's type of this name; what costs something is a function, called only if somebody asks for the field. */
export type RuntimeStatus = {
  readonly lastOperationStatus: OperationStatus | null;
  readonly runtimeConnectionStatus: ConnectionStatus;
  readonly runtimeConfiguration: {
    readonly clusterConfig: GardenerConfigOutput;
    readonly kymaConfig: KymaConfigInput | null;
    readonly kubeconfig: () => Promise<string | null>;
  };
  readonly hibernationStatus: () => Promise<HibernationStatus | null>;
};

type ConnectionStatus = {
  readonly status: 'Pending' | 'Connected' | 'Disconnected';
  readonly errors: readonly { readonly message: string }[] | null;
};

export async function runtimeStatus(
  { engine, clients }: Api,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<RuntimeStatus> {
  const operations = await engine.ofSubject(runtime.id, 50);
  const [last] = operations;
  const isInDirector = clients.director !== undefined;
  const { shoots } = clients.gardener;
  return {
    lastOperationStatus: last ? operationStatus(engine, last, { isInDirector }) : null,
    runtimeConnectionStatus: connectionStatus(operations),
    runtimeConfiguration: {
      clusterConfig: gardenerConfigOutput(runtime.config),
      kymaConfig: runtime.kyma ? withoutSecrets(runtime.kyma) : null,
      kubeconfig: () =>
        unlessUnknown(async () => {
          const found = await shoots.adminKubeconfig(runtime.shootName, signal);
          return found?.kubeconfig.reveal() ?? null;
        }),
    },
    hibernationStatus: () =>
      unlessUnknown(async () => {
        const shoot = await shoots.get(runtime.shootName, signal);
        return shoot ? hibernationStatus(shoot) : null;
      }),
  };
}

/** A cluster that is not ready, or a Gardener that does not answer, is no reason to tell nothing at all. */
async function unlessUnknown<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

/** What the newest operation that had to do with the agent came to. */
function connectionStatus(operations: readonly StoredOperation[]): ConnectionStatus {
  for (const { type, state, stage, error, facts } of operations) {
    const waitsForAgent =
      type === 'reconnect_runtime' || (type === 'provision' && facts['hasKyma'] === true);
    if (!waitsForAgent || facts['hasAgent'] === false) continue;
    if (state === 'succeeded') return { status: 'Connected', errors: null };
    const isAboutAgent = stage === 'WaitForAgentToConnect' || stage === 'ConnectRuntimeAgent';
    if (state === 'failed' && isAboutAgent)
      return { status: 'Disconnected', errors: [{ message: error?.message ?? 'unknown' }] };
    if (state === 'in progress' && type === 'reconnect_runtime') break;
  }
  return { status: 'Pending', errors: null };
}

/** Whoever may see the status may not therefore see what overrides hide. */
function withoutSecrets(kyma: KymaConfigInput): KymaConfigInput {
  const hidden = (entries: KymaConfigInput['configuration']) =>
    entries?.map((entry) => (entry.secret ? { ...entry, value: '' } : entry));
  return {
    ...kyma,
    configuration: hidden(kyma.configuration),
    components: kyma.components.map((component) => ({
      ...component,
      configuration: hidden(component.configuration),
    })),
  };
}
