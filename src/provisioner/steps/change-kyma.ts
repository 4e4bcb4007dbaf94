import { inTransaction, type Secret } from '#database';
import { done, type Step } from '#engine';
import type { KymaConfigInput } from '../config/kyma-input.ts';
import type { Services } from '../services.ts';

/** The Kyma that is wanted, sealed because of its overrides. */
export type KymaUpgrade = { readonly kyma: Secret };

/** From now on, this is the runtime's Kyma configuration; the one of before is in the history. */
export const changeKyma = ({ runtimes, database }: Services): Step<KymaUpgrade> => ({
  name: 'Change_Kyma',
  about: 'Keeps the configuration of Kyma that holds from now on.',
  domain: 'Kyma installer',
  owner: 'Team Framefrog',
  async run({ operation, facts }) {
    const kyma = JSON.parse(facts.kyma.reveal()) as KymaConfigInput; // as it was sealed
    await inTransaction(database, (db) =>
      runtimes.putInForce(db, operation.subject, operation.id, { kyma }),
    );
    return done();
  },
});
