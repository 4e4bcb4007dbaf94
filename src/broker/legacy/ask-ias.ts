import { inTransaction } from '#database';
import type { StepContext } from '#engine';
import type { Services } from '../services.ts';
import { InstanceGone } from '../steps/the-instance.ts';

/**
 * A service provider that was asked for is not visible at once, and another request would make a second one. So each
 * request is on record before it is sent, and while it may still show its effect nobody sends another: not in the run that
 * sent it, should that start over, and not in the one after it, which comes minutes later.
 */
export const mayAskIas = (
  { instances, database }: Services,
  { operation, attempt }: Pick<StepContext<object>, 'operation' | 'attempt'>,
  provider: string,
): Promise<boolean> =>
  inTransaction(database, async (db) => {
    const instance = await instances.lock(db, operation.subject);
    if (!instance) throw new InstanceGone(operation.subject);
    const { iasAsked: asked = {} } = instance.details;
    const last = asked[provider];
    if (last?.by === operation.id && attempt <= last.attempt + 1) return false;
    const now = { by: operation.id, attempt };
    await instances.remember(db, instance.id, { iasAsked: { ...asked, [provider]: now } });
    return true;
  });
