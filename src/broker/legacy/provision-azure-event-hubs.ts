import { done, fail, skip, wait, type Step } from '#engine';
import { minutes } from '#time';
import type { Services } from '../services.ts';
import type { Order } from '../steps/conditions.ts';
import { steady } from '../steps/steady.ts';
import { theInstance } from '../steps/the-instance.ts';
import { accountGone, eventHubsName, needsEventHubs, subscriptionOf } from './event-hubs.ts';

export type EventHubs = { readonly eventHubsIn?: string };

/** Safe to repeat: Azure knows both by their names, and only tells how far it is. */
export const provisionAzureEventHubs = (
  services: Services,
): Step<
  Order & { targetSecret?: string; kymaVersion: string; eventHubsIn?: string },
  EventHubs
> => ({
  name: 'Provision Azure Event Hubs',
  about: 'Creates an Event Hubs namespace, a managed Kafka, in the account of the cluster.',
  domain: 'Event Hub',
  owner: 'Team SkyDivingTunas',
  needs: ['plan', 'targetSecret', 'kymaVersion'],
  gives: ['eventHubsIn'],
  retry: steady(minutes(1), minutes(30)),
  async run({ operation, facts, signal }) {
    const { targetSecret: secret, kymaVersion } = facts;
    if (facts.eventHubsIn !== undefined) return done();
    if (!needsEventHubs(kymaVersion)) return skip(`Kyma ${kymaVersion} needs no Event Hubs`);
    if (secret === undefined) throw new Error('no step has found an account for the cluster');
    const { instances, database } = services;
    const instance = await theInstance(services, { operation });
    const subscription = await subscriptionOf(services, secret, signal);
    if (!subscription) throw accountGone(secret);
    const name = eventHubsName(instance);
    const resource = {
      name,
      location: instance.region,
      tags: {
        SubAccountID: instance.subaccount,
        InstanceID: instance.id,
        OperationID: operation.id,
      },
    };
    // Before the first call: whoever removes the instance must know in which account to look.
    await instances.remember(database.pool, instance.id, { eventHubsIn: secret });
    await subscription.putGroup(resource, signal);
    const creation = await subscription.putNamespace(name, resource, signal);
    switch (creation.kind) {
      case 'succeeded':
        return done({ eventHubsIn: secret });
      case 'running':
        return wait(creation.retryAfter, `the Event Hubs namespace is ${creation.state}`, 'azure');
      case 'failed':
        return fail(new EventHubsFailed(name, creation.reason));
    }
  },
});

class EventHubsFailed extends Error {
  override readonly name = 'EventHubsFailed';
  readonly temporary = false;
  readonly system = 'azure';
  readonly reason: string;

  constructor(name: string, reason: string) {
    super(`Azure could not create the Event Hubs namespace ${name}: ${reason}`);
    this.reason = reason;
  }
}
