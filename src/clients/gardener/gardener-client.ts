import { z } from 'zod';
import {
  awsAccount,
  azureAccount,
  type AwsAccount,
  type AzureAccount,
} from './account-credentials.ts';
import { accountPool, type AccountPool } from './account-pool.ts';
import { gardenerApi, gardenerProject, type GardenerSettings } from './project.ts';
import { gardenerShoots, type Shoots } from './shoots.ts';

/** A Gardener project: the accounts it may use, and the clusters it runs. */
export type GardenerClient = {
  readonly accounts: AccountPool;
  readonly azureAccount: AzureAccount;
  readonly awsAccount: AwsAccount;
  readonly shoots: Shoots;
  /** On which infrastructure the control planes of this seed run; undefined without such a seed. */
  readonly seedProvider: (seed: string, signal: AbortSignal) => Promise<string | undefined>;
};

const Seed = z.object({ spec: z.object({ provider: z.object({ type: z.string() }) }) });

export function gardenerClient(settings: GardenerSettings): GardenerClient {
  const project = gardenerProject(settings);
  return {
    accounts: accountPool(project),
    azureAccount: azureAccount(project),
    awsAccount: awsAccount(project),
    shoots: gardenerShoots(project),
    async seedProvider(seed, signal) {
      if (seed === '') return undefined;
      const found = await project.find({
        method: 'GET',
        path: `/apis/${gardenerApi}/seeds/${encodeURIComponent(seed)}`,
        answer: Seed,
        what: `get seed ${seed}`,
        signal,
      });
      return found?.spec.provider.type;
    },
  };
}
