// For tests of the plans, and of what uses them: the catalog that the broker comes with, and all of it on offer.
import { readCatalog } from './catalog.ts';
import type { ClusterSettings } from './gardener-config.ts';
import { defaultPlanSettings, type PlanSettings } from './plan-settings.ts';
import { platformOf, type Platform } from './platform.ts';
import { createPlans, type Plan } from './plans.ts';

export const catalog = await readCatalog();

export const everythingOn: PlanSettings = {
  ...defaultPlanSettings,
  enabledPlans: Object.keys(catalog.plans),
  freeProviders: ['aws', 'azure'],
  allowNetworking: true,
  planUpdates: true,
};
export const plans = createPlans(catalog, everythingOn);

export function planNamed(name: string, changes?: Partial<PlanSettings>): Plan {
  const offered = changes ? createPlans(catalog, { ...everythingOn, ...changes }) : plans;
  const plan = offered.enabled.find((each) => each.name === name);
  if (!plan) throw new Error(`no plan ${name}`);
  return plan;
}

export const platformIn = (region: string): Platform => platformOf(region, 'cf-eu10');
/** On AWS. */
export const platform = platformIn('cf-eu10');

export const clusterSettings: ClusterSettings = {
  kubernetesVersion: '1.26.5',
  purpose: 'development',
  severalZones: false,
  autoUpdate: { kubernetes: true, machineImage: false },
  oidc: {
    clientID: 'landscape',
    issuerURL: 'https://idp.example.test',
    groupsClaim: 'groups',
    signingAlgs: ['RS256'],
    usernameClaim: 'sub',
    usernamePrefix: '-',
  },
  floatingPool: 'FloatingIP-external-kyma-01',
};

export const token = 'canary-token';
export const kubeconfigText = (changes: { user?: object; cluster?: object } = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'mine',
    contexts: [{ name: 'mine', context: { cluster: 'mine', user: 'me' } }],
    clusters: [
      { name: 'mine', cluster: { server: 'https://api.example.test', ...changes.cluster } },
    ],
    users: [{ name: 'me', user: { token, ...changes.user } }],
  });
export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The least that each plan wants. */
export const smallestOrder = (plan: string): Record<string, unknown> =>
  plan === 'own_cluster'
    ? {
        name: 'mine',
        kubeconfig: base64(kubeconfigText()),
        shootName: 'c-1a2b3c4',
        shootDomain: 'c-1a2b3c4.example.test',
      }
    : { name: 'mine' };
