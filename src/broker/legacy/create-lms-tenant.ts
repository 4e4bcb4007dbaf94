import { done, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import type { Order } from '../steps/conditions.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOnlyTenant } from '../tables/lms-tenants-table.ts';
import { refusalsWaitedOut } from './lms-refusals.ts';
import { lmsTenantOf, sendsLogsToLms } from './lms-tenant.ts';

/**
 * A tenant that is asked for twice exists twice, for ever. What is on record is not asked for again; only an answer that
 * gets lost leaves a tenant behind that nobody knows.
 */
export const createLmsTenant = (
  services: Services,
): Step<Order & { lmsTenantId?: string }, { lmsTenantId?: string }> => ({
  name: 'Create_LMS_Tenant',
  about: 'Finds the logging tenant of the account, or has LMS make one.',
  domain: 'LMS',
  owner: 'Team Gopher',
  needs: ['plan'],
  gives: ['lmsTenantId'],
  retry: {
    every: seconds(30),
    upTo: seconds(30),
    within: minutes(3),
    otherwise: services.settings.older?.lms?.isMandatory ? 'fail' : 'go on',
  },
  async run({ operation, facts, signal }) {
    if (facts.lmsTenantId !== undefined) return done();
    const { clients, settings, database } = services;
    const rules = settings.older?.lms;
    const { lms } = clients;
    if (!lms || !rules) return skip('LMS is switched off');
    const instance = await theInstance(services, { operation });
    if (!sendsLogsToLms(instance, rules)) return skip('the account sends no logs to LMS');
    const tenant = lmsTenantOf(instance, rules);
    return refusalsWaitedOut(seconds(30), async () => {
      const id = await theOnlyTenant(database, tenant, () => lms.createTenant(tenant, signal));
      return id === undefined
        ? wait(seconds(5), 'another runtime asks for the same tenant', 'lms')
        : done({ lmsTenantId: id });
    });
  },
});
