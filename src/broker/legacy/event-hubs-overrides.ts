import { done, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { steady } from '../steps/steady.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';
import { accountGone, eventHubsName, subscriptionOf } from './event-hubs.ts';
import type { EventHubs } from './provision-azure-event-hubs.ts';

const kafka = 'knative-eventing-kafka';

export const eventHubsOverrides = (services: Services): Step<EventHubs> => ({
  name: 'Azure_Event_Hubs_Overrides',
  about: 'Has the runtime send its events through its Event Hubs namespace.',
  domain: 'Event Hub',
  owner: 'Team SkyDivingTunas',
  needs: ['eventHubsIn'],
  retry: steady(minutes(1), minutes(30)),
  async run({ operation, facts: { eventHubsIn: secret }, memory, signal }) {
    if (secret === undefined) return skip('there are no Event Hubs');
    const instance = await theInstance(services, { operation });
    const subscription = await subscriptionOf(services, secret, signal);
    if (!subscription) throw accountGone(secret);
    const name = eventHubsName(instance);
    const connection = await subscription.connectionString(name, name, signal);
    if (connection === undefined)
      return wait(seconds(15), 'Azure does not give out the access key yet', 'azure');
    const [, hostname] = /^Endpoint=sb:\/\/([^/;]+)/.exec(connection) ?? [];
    if (hostname === undefined) throw new Error('the connection string names no endpoint');
    const overrides = theOverrides(memory, instance);
    overrides.enable(kafka);
    overrides.appendOverrides('knative-eventing', [
      {
        key: 'knative-eventing.channel.default.apiVersion',
        value: 'knativekafka.kyma-project.io/v1alpha1',
      },
      { key: 'knative-eventing.channel.default.kind', value: 'KafkaChannel' },
    ]);
    overrides.appendOverrides(
      kafka,
      Object.entries({
        'kafka.brokers.hostname': hostname,
        'kafka.brokers.port': '9093',
        'kafka.namespace': 'knative-eventing',
        'kafka.username': '$ConnectionString',
        'kafka.password': connection,
        'kafka.secretName': 'knative-kafka',
        'environment.kafkaProvider': 'azure',
      }).map(([key, value]) => ({ key, value, secret: true })),
    );
    return done();
  },
});
