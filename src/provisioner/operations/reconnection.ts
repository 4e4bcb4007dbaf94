import { operation } from '#engine';
import { hours } from '#time';
import type { Services } from '../services.ts';
import { awaitAgent } from '../steps/await-agent.ts';
import { connectAgent } from '../steps/connect-agent.ts';

export const reconnection = (services: Services) =>
  operation('reconnect_runtime', { timeLimit: hours(24) })
    .stage('ConnectRuntimeAgent', connectAgent(services))
    .stage('WaitForAgentToConnect', awaitAgent(services));
