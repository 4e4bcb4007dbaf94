import { randomUUID } from 'node:crypto';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';

/** The cluster's identity towards BTP: drawn once, and on record before anybody is told of it. */
export async function smClusterIdOf(
  { instances, database }: Services,
  { id, details }: Instance,
): Promise<string> {
  if (details.smClusterId !== undefined) return details.smClusterId;
  const smClusterId = randomUUID();
  await instances.remember(database.pool, id, { smClusterId });
  return smClusterId;
}
