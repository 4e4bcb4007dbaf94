import { accountPool, type AccountPool } from './account-pool.ts';
import { gardenerProject, type GardenerSettings } from './project.ts';
import { gardenerShoots, type Shoots } from './shoots.ts';

/** A Gardener project: the accounts it may use, and the clusters it runs. */
export type GardenerClient = { readonly accounts: AccountPool; readonly shoots: Shoots };

export function gardenerClient(settings: GardenerSettings): GardenerClient {
  const project = gardenerProject(settings);
  return { accounts: accountPool(project), shoots: gardenerShoots(project) };
}
