import type { Api } from '../../api/api.ts';
import type { OperatorRoute } from '../../api/operator-route.ts';
import { changeRoutes } from './change-routes.ts';
import { createRoutes } from './create-orchestration.ts';
import { readRoutes } from './read-orchestrations.ts';

/** Upgrades of many runtimes. */
export const fleetRoutes = (api: Api): readonly OperatorRoute[] => [
  ...createRoutes(api),
  ...readRoutes(api),
  ...changeRoutes(api),
];
