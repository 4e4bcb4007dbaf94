import { done, type Step } from '#engine';
import type { Services } from '../services.ts';
import { avsCreateInternalEval } from '../steps/avs-create-internal-eval.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';

/** The internal evaluation under its older name; and the runtime learns which one it feeds. */
export const avsConfigurationStep = (services: Services): Step => {
  const evaluation = avsCreateInternalEval(services);
  return {
    ...evaluation,
    name: 'AVS_Configuration_Step',
    about: 'Has the runtime watched from inside, and tells its bridge to AvS what it reports on.',
    async run(context) {
      const created = await evaluation.run(context);
      if (created.kind !== 'done') return created;
      const instance = await theInstance(services, context);
      const { avsInternalId: id } = instance.details;
      const keys = services.settings.older?.avsBridge;
      if (id === undefined) return created;
      const isTrial = instance.planName === 'trial';
      const apiKey = isTrial ? (keys?.trialApiKey ?? keys?.apiKey) : keys?.apiKey;
      theOverrides(context.memory, instance).appendOverrides('avs-bridge', [
        { key: 'avs_bridge.config.evaluations.cluster.id', value: id },
        ...(apiKey
          ? [
              {
                key: 'avs_bridge.config.availabilityService.apiKey',
                value: apiKey.reveal(),
                secret: true,
              },
            ]
          : []),
      ]);
      return done();
    },
  };
};
