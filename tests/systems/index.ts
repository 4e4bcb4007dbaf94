import { artifacts } from './artifacts.ts';
import { avs } from './avs.ts';
import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { cis } from './cis.ts';
import { controlPlane } from './control-plane.ts';
import type { SystemContract } from './contract.ts';
import { director, directorLabels } from './director.ts';
import { edp } from './edp.ts';
import { gardener } from './gardener.ts';
import { ias } from './ias.ts';
import { installerOfKyma } from './kyma-installer.ts';
import { lifecycleManager } from './lifecycle-manager.ts';
import { lms } from './lms.ts';
import { provisioner } from './provisioner.ts';
import { reconciler } from './reconciler.ts';
import { runtimeCluster } from './runtime-cluster.ts';
import { serviceManager } from './service-manager.ts';
import { spc } from './spc.ts';

/** In the order of the reference sheet's inventory. */
export const contracts: readonly SystemContract[] = [
  avs,
  edp,
  ias,
  lms,
  azure,
  serviceManager,
  reconciler,
  director,
  directorLabels,
  provisioner,
  gardener,
  lifecycleManager,
  controlPlane,
  runtimeCluster,
  spc,
  ...cis,
  artifacts,
  installerOfKyma,
  aws,
];

/** Every system of the reference sheet's inventory (section 1). */
export const inventory: readonly string[] = [
  'AvS',
  'EDP',
  'IAS',
  'LMS',
  'Azure ARM',
  'Service Manager',
  'Reconciler',
  'Director',
  'Provisioner',
  'Gardener',
  'Lifecycle Manager',
  'Runtime cluster (SKR)',
  'SPC notification',
  'CIS',
  'Dashboard',
  'Kyma release artifacts',
];

/** Those that nobody calls, and why. */
export const neverCalled: Readonly<Record<string, string>> = {
  Dashboard: 'Nobody calls it: the broker computes its URL (section 17).',
};

/** In the landscape, but no client of ours calls them. */
export const otherSimulators: Readonly<Record<string, string>> = {
  issuer: 'gives people and programs their tokens; the services only check them',
};

/** Exports of #clients that look like makers of clients: function and type have one name. */
export const noClients: Readonly<Record<string, string>> = {
  certificateRequest: 'computes a request; the LMS client sends it',
  kymaInstaller: 'the same as kymaInstallerOn, on a connection that is open already',
  kymaMetadata: 'computes labels and annotations',
  kymaResource: 'computes a Kyma from its template',
  kubernetesConnection: 'what all clients of clusters are made of',
};
