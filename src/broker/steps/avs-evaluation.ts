import { evaluationDescription, evaluationName, type NewEvaluation } from '#clients';
import type { Instance } from '../instance.ts';
import type { AvsPlace, BrokerSettings } from '../services.ts';

/** The evaluation of an instance, fed from inside its cluster or probed from outside. */
export function newEvaluation(
  { avs }: BrokerSettings,
  instance: Instance,
  side: 'int' | 'ext',
): NewEvaluation {
  const { testerAccessId, groupId, parentId, service, tags } =
    side === 'int' ? internalPlaceOf({ avs }, instance) : avs.external;
  return {
    name: evaluationName({
      plan: instance.planName,
      side,
      instanceId: instance.id,
      runtimeName: instance.parameters.name,
    }),
    description: evaluationDescription({
      instanceName: instance.parameters.name,
      globalAccountId: instance.globalAccount,
      subaccountId: instance.subaccount,
      instanceId: instance.id,
      shootName: instance.shootName,
    }),
    ...(service !== undefined && { service }),
    ...(side === 'ext' && { url: `https://healthz.${instance.shootDomain}/healthz/ready` }),
    testerAccessId,
    groupId,
    parentId,
    tags,
  };
}

/** Trial and free runtimes have a place of their own, if the landscape has one. */
export const internalPlaceOf = (
  { avs }: Pick<BrokerSettings, 'avs'>,
  { planName }: Pick<Instance, 'planName'>,
): AvsPlace =>
  planName === 'trial' || planName === 'free' ? (avs.trial ?? avs.internal) : avs.internal;
