import {
  evaluationDescription,
  evaluationName,
  type AvsClient,
  type NewEvaluation,
} from '#clients';
import { minutes } from '#time';
import type { Instance } from '../instance.ts';
import type { AvsPlace, BrokerSettings, Services } from '../services.ts';

/**
 * AvS cannot be asked by name, and each creation that arrives makes another evaluation. So the id is stored at once, and
 * what is on record is not created again. An answer that gets lost leaves one evaluation behind that only people find, by
 * its name.
 */
export async function createEvaluation(
  { instances, database, settings }: Services,
  avs: AvsClient,
  instance: Instance,
  { side, signal }: { readonly side: 'int' | 'ext'; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  // From here on this run is not to be stopped: an answer that nobody hears leaves an evaluation behind.
  const unstopped = AbortSignal.timeout(minutes(1));
  const entry = side === 'int' ? 'avsInternalId' : 'avsExternalId';
  if (instance.details[entry] !== undefined) return;
  const wanted = newEvaluation(settings, instance, side);
  const { id } = await avs.createEvaluation(wanted, unstopped);
  const known = await instances.rememberUnlessKnown(database.pool, instance.id, { [entry]: id });
  // Somebody who was believed dead has created one meanwhile.
  if (known[entry] !== id) await avs.removeEvaluation(id, wanted.parentId, unstopped);
}

/** The evaluation of an instance, fed from inside its cluster or probed from outside. */
function newEvaluation(
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
