import { condition, type Condition } from '#engine';
import type { BrokerClients } from '../services.ts';

/** What an operation knows of its order from the start: enough to say which steps it needs. */
export type Order = {
  /** The plan's name. */
  readonly plan: string;
  readonly hasBtpCredentials: boolean;
};

export const clusterIsOurs = condition<Order>(
  'the cluster is ours',
  ({ plan }) => plan !== 'own_cluster',
);
export const clusterIsTheirs = condition<Order>(
  'the customer brings the cluster',
  ({ plan }) => plan === 'own_cluster',
);
export const hasBtpCredentials = condition<Order>(
  'BTP credentials were given',
  (order) => order.hasBtpCredentials,
);
/** Kyma comes from the Reconciler; preview runtimes have Lifecycle Manager instead. */
export const isNotPreview = condition<Order>(
  'the plan is not preview',
  ({ plan }) => plan !== 'preview',
);
export const isWatchedFromOutside = condition<Order>(
  'the plan is watched from outside',
  ({ plan }) => plan !== 'trial' && plan !== 'free',
);

const names: Readonly<Record<Switchable, string>> = {
  avs: 'AvS',
  edp: 'EDP',
  ias: 'IAS',
  reconciler: 'the Reconciler',
  lifecycleManager: 'Lifecycle Manager',
  director: 'Director',
  lms: 'LMS',
  spc: 'SPC',
  cis: 'CIS',
};
type Switchable = {
  [Name in keyof BrokerClients]: undefined extends BrokerClients[Name] ? Name : never;
}[keyof BrokerClients];

/** Decided by the installation, not by the order. */
export const isOn = (clients: BrokerClients, system: Switchable): Condition<object> =>
  condition(`${names[system]} is switched on`, () => clients[system] !== undefined);
