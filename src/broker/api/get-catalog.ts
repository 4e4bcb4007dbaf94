import { catalogBody } from '../plans/catalog-body.ts';
import { hasEuAccess } from '../plans/cluster-location.ts';
import type { Platform } from '../plans/platform.ts';
import type { Api, Handler } from './api.ts';

const headers = { 'content-type': 'application/json; charset=utf-8' };

/** Written once for each kind of platform: nothing in it depends on more than a platform's provider and its EU access. */
export const getCatalog = ({ plans, api, settings }: Api): Handler => {
  const written = new Map<string, Buffer>();
  const write = (platform: Platform) =>
    catalogBody(plans, {
      platform,
      includeAdditionalParameters: api.includeAdditionalParameters,
      bindings: true,
      ...(api.maintenance && { maintenance: api.maintenance }),
      // What takes longer has ended by then, as failed.
      maximumPollingDuration: Math.ceil(settings.limits.operation / 1_000),
    });
  return async ({ platform }) => {
    const euAccess = plans.enabled.some((plan) => hasEuAccess(plan, platform));
    const body = written.getOrInsertComputed(`${platform.provider} ${euAccess}`, () =>
      Buffer.from(JSON.stringify(write(platform))),
    );
    return { status: 200, headers, body };
  };
};
