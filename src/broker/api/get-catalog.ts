import { catalogBody } from '../plans/catalog-body.ts';
import type { Api, Handler } from './api.ts';

export const getCatalog =
  ({ plans, api, settings }: Api): Handler =>
  async ({ platform }) => ({
    status: 200,
    body: catalogBody(plans, {
      platform,
      includeAdditionalParameters: api.includeAdditionalParameters,
      bindings: false,
      ...(api.maintenance && { maintenance: api.maintenance }),
      // What takes longer has ended by then, as failed.
      maximumPollingDuration: Math.ceil(settings.limits.operation / 1_000),
    }),
  });
