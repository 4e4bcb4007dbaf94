import { condition, operation, when } from '#engine';
import { hours } from '#time';
import type { Services } from '../services.ts';
import { awaitAgent } from '../steps/await-agent.ts';
import { awaitCluster } from '../steps/await-cluster.ts';
import { awaitDomain } from '../steps/await-domain.ts';
import { awaitInstallation } from '../steps/await-installation.ts';
import { bindOperators } from '../steps/bind-operators.ts';
import { configureAuditLog } from '../steps/configure-audit-log.ts';
import { connectAgent } from '../steps/connect-agent.ts';
import { createShoot } from '../steps/create-shoot.ts';
import { labelRuntime } from '../steps/label-runtime.ts';
import { startInstallation } from '../steps/start-installation.ts';

/** What decides which stages have something to do. */
export type Extent = { readonly hasKyma: boolean; readonly hasAgent: boolean };

export const kymaIsWanted = condition<Extent>('Kyma is wanted', ({ hasKyma }) => hasKyma);
export const hasAgent = condition<Extent>('there is an agent', ({ hasAgent }) => hasAgent);

/** A cluster, and Kyma on it if that is wanted: one operation. */
export const provisioning = (services: Services) =>
  operation<Extent>('provision', { timeLimit: hours(48), input: ['hasKyma', 'hasAgent'] })
    .stage('CreatingShoot', createShoot(services))
    .stage('WaitingForClusterDomain', awaitDomain(services), labelRuntime(services))
    .stage('WaitingForClusterCreation', awaitCluster(services))
    .stage('CreatingBindingsForOperators', configureAuditLog(services), bindOperators(services))
    .stage('StartingInstallation', when(kymaIsWanted, startInstallation(services)))
    .stage('WaitingForInstallation', when(kymaIsWanted, awaitInstallation(services)))
    .stage('ConnectRuntimeAgent', when(hasAgent, connectAgent(services)))
    .stage('WaitForAgentToConnect', when(hasAgent, when(kymaIsWanted, awaitAgent(services))));
