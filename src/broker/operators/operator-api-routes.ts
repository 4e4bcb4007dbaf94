import type { Api } from '../api/api.ts';
import type { OperatorRoute } from '../api/operator-route.ts';
import { aboutRoutes } from './about-service.ts';
import { operationRoutes } from './get-operation.ts';
import { infoRuntimes } from './info-runtimes.ts';
import { listErrors } from './list-errors.ts';
import { listEvents } from './list-events.ts';
import { listOperations } from './list-operations.ts';
import { runtimeRoutes } from './list-runtimes.ts';
import { statisticsRoutes } from './statistics.ts';
import { steeringRoutes } from './steer-operation.ts';
import { streamRoutes } from './streams.ts';

/** What people see of runtimes and operations, and what they do to single ones. */
export const operatorApiRoutes = (api: Api): readonly OperatorRoute[] => [
  ...runtimeRoutes(api),
  infoRuntimes(api),
  listOperations(api),
  ...operationRoutes(api),
  ...steeringRoutes(api),
  listEvents(api),
  listErrors(api),
  ...statisticsRoutes(api),
  ...streamRoutes(api),
  ...aboutRoutes(api),
];
