import { z } from 'zod';
import { inTransaction } from '#database';
import type { Api } from '../../api/api.ts';
import { lockInstance } from '../../api/instance-state.ts';
import { route } from '../../api/operator-route.ts';
import { Refusal } from '../../errors.ts';
import { expireInstance, expiringPlans } from '../../expire-instance.ts';

/** What the expiration jobs do, for one instance and before its time. */
export const expireRoute = (api: Api) =>
  route({
    method: 'PUT',
    path: '/expire/service_instance/:instanceId',
    right: { scope: 'broker:write' },
    about: 'Ends the time of a trial or free instance: it is suspended and never comes back',
    answers: z.object({ operation: z.string() }),
    async handle({ params: { instanceId = '' } }) {
      const operation = await inTransaction(api.database, async (db) => {
        const found = await lockInstance(api, instanceId, db);
        if (!found || found.state === 'remains')
          throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
        const { planName } = found.instance;
        if (!expiringPlans.some((plan) => plan === planName))
          throw new Refusal(
            'NOT_EXPIRING',
            `the instance ${instanceId} is of the plan ${planName}: only instances of ${expiringPlans.join(', ')} expire`,
          );
        return (await expireInstance(api, found, db)) ?? found.last;
      });
      return { status: 202, body: { ...(operation && { operation: operation.id }) } };
    },
  });
