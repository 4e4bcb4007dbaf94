import { operation, when } from '#engine';
import { hours } from '#time';
import type { Services } from '../services.ts';
import { awaitShootGone } from '../steps/await-shoot-gone.ts';
import { cleanUpCluster, uninstallKyma } from '../steps/clean-up-cluster.ts';
import { deleteShoot } from '../steps/delete-shoot.ts';
import { unregisterRuntime } from '../steps/unregister-runtime.ts';
import { kymaIsWanted, type Extent } from './provisioning.ts';

export const deprovisioning = (services: Services) =>
  operation<Extent>('deprovision', { timeLimit: hours(24), input: ['hasKyma', 'hasAgent'] })
    .stage('CleanupCluster', when(kymaIsWanted, cleanUpCluster(services)))
    .stage('TriggerKymaUninstall', when(kymaIsWanted, uninstallKyma(services)))
    .stage('DeprovisionCluster', deleteShoot(services))
    .stage('WaitForClusterDeletion', awaitShootGone(services))
    .stage('UnregisterRuntime', unregisterRuntime(services));
