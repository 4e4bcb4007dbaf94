import type { Right } from '#access';
import { fleetRoutes } from '../fleet/api/fleet-routes.ts';
import { jobRoutes } from '../jobs/api/job-routes.ts';
import { operatorApiRoutes } from '../operators/operator-api-routes.ts';
import type { Api, Handler, OpenHandler } from './api.ts';
import { createBinding } from './create-binding.ts';
import { deleteBinding } from './delete-binding.ts';
import { deprovisionInstance } from './deprovision-instance.ts';
import { fetchBinding } from './fetch-binding.ts';
import { fetchInstance } from './fetch-instance.ts';
import { auditRoutes } from './get-audit.ts';
import { getCatalog } from './get-catalog.ts';
import { getKubeconfig } from './get-kubeconfig.ts';
import { getMetrics } from './get-metrics.ts';
import { isAlive, isReady } from './health.ts';
import { listBindings } from './list-bindings.ts';
import type { OperatorRoute } from './operator-route.ts';
import { pollBinding } from './poll-binding.ts';
import { pollLastOperation } from './poll-last-operation.ts';
import { provisionInstance } from './provision-instance.ts';
import { updateInstance } from './update-instance.ts';
import { upgradeRoutes } from './upgrade-runtime.ts';

/** Where the Open Service Broker API is served. The region says where the platform itself runs. */
export const prefixes = ['/v2', '/oauth/v2', '/oauth/:region/v2'] as const;
export const osbRight: Right = { scope: 'broker:write' };

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
  ['GET', binding, fetchBinding(api)],
  ['DELETE', binding, deleteBinding(api)],
  ['GET', `${binding}/last_operation`, pollBinding(api)],
];

/** For those who run the landscape. */
export const operatorRoutes = (api: Api): readonly OperatorRoute[] => [
  listBindings(api),
  ...upgradeRoutes(api),
  ...operatorApiRoutes(api),
  ...fleetRoutes(api),
  ...jobRoutes(api),
  ...auditRoutes(api),
];

/** What everybody may ask for. */
export function openRoutes(
  api: Api,
  closing: AbortSignal,
): readonly (readonly [string, OpenHandler])[] {
  const kubeconfig = getKubeconfig(api);
  return [
    ['/kubeconfig', kubeconfig],
    ['/kubeconfig/', kubeconfig],
    ['/kubeconfig/:instanceId', kubeconfig],
    ['/healthz', isAlive],
    ['/readyz', isReady(api)],
    ['/metrics', getMetrics(api, closing)],
  ];
}
