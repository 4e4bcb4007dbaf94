import { timestamp, type Fields, type KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import { KymaSpec } from './kyma-admission.ts';

export const kymaStates = ['Ready', 'Processing', 'Error', 'Deleting', 'Warning'] as const;
export type KymaState = (typeof kymaStates)[number];

const moduleVersion = '1.0.0';

/** As the Lifecycle Manager reports it. Its modules are in the same state as the whole. */
export function kymaStatus(
  { metadata, spec }: KubernetesObject,
  { state, message, at }: { state: KymaState; message: string; at: Date },
): Fields {
  const { channel, modules } = KymaSpec.parse(spec);
  const time = timestamp(at);
  return {
    state,
    activeChannel: channel,
    conditions: [
      {
        type: 'Modules',
        status: state === 'Ready' ? 'True' : 'False',
        reason: 'Ready',
        message,
        lastTransitionTime: time,
        observedGeneration: metadata.generation,
      },
    ],
    modules: modules.map((module) => ({
      name: module.name,
      fqdn: `kyma-project.io/module/${module.name}`,
      channel: module.channel ?? channel,
      version: moduleVersion,
      state,
      message,
    })),
    lastOperation: { operation: message, lastUpdateTime: time },
  };
}
