import type { Api, Handler, OpenHandler } from './api.ts';
import { createBinding, deleteBinding, fetchBinding } from './bindings.ts';
import { deprovisionInstance } from './deprovision-instance.ts';
import { fetchInstance } from './fetch-instance.ts';
import { getCatalog } from './get-catalog.ts';
import { getKubeconfig } from './get-kubeconfig.ts';
import { getMetrics } from './get-metrics.ts';
import { isAlive, isReady } from './health.ts';
import { pollLastOperation } from './poll-last-operation.ts';
import { provisionInstance } from './provision-instance.ts';
import { updateInstance } from './update-instance.ts';

/** What a caller must be allowed to do. */
export type Right = 'broker:write' | 'everybody';

/** Where the Open Service Broker API is served. The region says where the platform itself runs. */
export const prefixes = ['/v2', '/oauth/v2', '/oauth/:region/v2'] as const;
export const osbRight: Right = 'broker:write';

const instance = '/service_instances/:instanceId';
const binding = `${instance}/service_bindings/:bindingId`;

/** The Open Service Broker API, below each prefix. */
export const osbRoutes = (
  api: Api,
): readonly (readonly ['GET' | 'PUT' | 'PATCH' | 'DELETE', string, Handler])[] => [
  ['GET', '/catalog', getCatalog(api)],
  ['PUT', instance, provisionInstance(api)],
  ['GET', instance, fetchInstance(api)],
  ['PATCH', instance, updateInstance(api)],
  ['DELETE', instance, deprovisionInstance(api)],
  ['GET', `${instance}/last_operation`, pollLastOperation(api)],
  ['PUT', binding, createBinding(api)],
  ['GET', binding, fetchBinding()],
  ['DELETE', binding, deleteBinding()],
  ['GET', `${binding}/last_operation`, fetchBinding()],
];

/** What everybody may ask for. */
export function openRoutes(api: Api): readonly (readonly [string, OpenHandler])[] {
  const kubeconfig = getKubeconfig(api);
  return [
    ['/kubeconfig', kubeconfig],
    ['/kubeconfig/', kubeconfig],
    ['/kubeconfig/:instanceId', kubeconfig],
    ['/healthz', isAlive],
    ['/readyz', isReady(api)],
    ['/metrics', getMetrics(api)],
  ];
}
