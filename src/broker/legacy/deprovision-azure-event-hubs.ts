import { done, skip, wait, type Step } from '#engine';
import { minutes } from '#time';
import type { Services } from '../services.ts';
import { waitAtMost } from '../steps/removal.ts';
import { theInstance } from '../steps/the-instance.ts';
import { accountGone, eventHubsName, subscriptionOf } from './event-hubs.ts';

/** Deletes the group with all that is in it, and looks until it is gone. */
export const deprovisionAzureEventHubs = (services: Services): Step => ({
  name: 'Deprovision Azure Event Hubs',
  about: 'Deletes the Event Hubs namespace.',
  domain: 'Event Hub',
  owner: 'Team SkyDivingTunas',
  retry: waitAtMost(minutes(60)),
  async run({ operation, signal, log }) {
    const { instances, database } = services;
    const instance = await theInstance(services, { operation });
    const { eventHubsIn: secret } = instance.details;
    if (secret === undefined) return skip('no Event Hubs are on record');
    const subscription = await subscriptionOf(services, secret, signal);
    if (!subscription) throw accountGone(secret);
    const tag = { name: 'InstanceID', value: instance.id };
    const tagged = await subscription.findGroups(tag, signal);
    const name = eventHubsName(instance);
    const group = tagged.find((each) => each.name.toLowerCase() === name);
    const others = tagged.filter((each) => each !== group).map((each) => each.name);
    if (others.length > 0) log.warn({ others }, 'somebody else has tagged groups as ours');
    if (!group) {
      await instances.remember(database.pool, instance.id, { eventHubsIn: null });
      return done();
    }
    if (group.state === 'Deleting')
      return wait(minutes(1), `the resource group ${name} is being deleted`, 'azure');
    const deletion = await subscription.deleteGroup(name, signal);
    // Looked for once more: that it was deleted is on record when nobody finds it.
    const pause = deletion.kind === 'running' ? deletion.retryAfter : 0;
    return wait(pause, `the resource group ${name} is being deleted`, 'azure');
  },
});
