import { inTransaction } from '#database';
import { done, type Step } from '#engine';
import type { DetailsChange } from '../instance.ts';
import type { Services } from '../services.ts';
import { archivedInstances } from '../tables/archived-instances-table.ts';
import type { Removal } from './removal.ts';
import type { RuntimeRemoval } from './remove-runtime.ts';

/** The row goes into the archive if nothing is left behind; else it stays, marked, for those who clean up. That of a suspension stays anyway. */
export const removeInstance = ({
  instances,
  database,
}: Services): Step<Removal & RuntimeRemoval> => ({
  name: 'Remove_Instance',
  about: 'Removes the instance from the database.',
  domain: 'Deprovisioning',
  owner: 'Team Gopher',
  async run({ operation: { subject: id }, facts, notCompleted }) {
    if (facts.temporary) {
      const isGone = facts.runtimeIsGone === true || facts.plan === 'own_cluster';
      // As long as something of the old runtime may be there, it must be known by what it is found.
      if (!isGone || notCompleted.some((step) => foundByRuntime.has(step))) return done();
      await inTransaction(database, async (db) => {
        await instances.setRuntime(db, id, undefined);
        await instances.remember(db, id, goneWithTheRuntime);
      });
    } else if (notCompleted.length > 0) await instances.markDeleted(database.pool, id);
    else await archivedInstances.archive(database.pool, id);
    return done();
  },
});

/** Steps that can be done later only by whoever still knows the runtime that they are about. */
const foundByRuntime: ReadonlySet<string> = new Set([
  'Delete_Kyma_Resource',
  'Check_Kyma_Resource_Deleted',
  'Delete_Kubeconfig',
  'Deregister_Cluster',
  'Check_Cluster_Deregistration',
]);

/** What speaks of the old runtime and would mislead a new one, also if a step could not undo it. */
const goneWithTheRuntime: DetailsChange = {
  kymaVersion: null,
  targetSecret: null,
  runtimeRequestedBy: null,
  clusterName: null,
  clusterConfigurationVersion: null,
  unsettled: null,
  avsMaintenance: null,
  kyma: null,
};
