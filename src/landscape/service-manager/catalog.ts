import { minutes, seconds, type Milliseconds } from '#time';

/** What the brokers behind Service Manager sell, and how long an order takes; 0 is done at once. */
const sold: readonly {
  readonly broker: string;
  readonly offering: string;
  readonly plan: string;
  readonly takes: Milliseconds;
}[] = [
  { broker: 'security', offering: 'xsuaa', plan: 'application', takes: seconds(30) },
  { broker: 'messaging', offering: 'enterprise-messaging', plan: 'default', takes: minutes(2) },
  { broker: 'network', offering: 'connectivity', plan: 'connectivity_proxy', takes: 0 },
  { broker: 'logging', offering: 'cloud-logging', plan: 'standard', takes: minutes(5) },
  // Names need not be unique: two brokers sell this one.
  { broker: 'storage-a', offering: 'postgresql', plan: 'small', takes: minutes(5) },
  { broker: 'storage-b', offering: 'postgresql', plan: 'small', takes: minutes(5) },
];

export const offerings = sold.map(({ broker, offering }) => ({
  id: `offering-${broker}-${offering}`,
  name: offering,
  description: '',
  bindable: true,
  broker_id: `broker-${broker}`,
  catalog_id: `catalog-${broker}-${offering}`,
  catalog_name: offering,
}));

export const plans = sold.map(({ broker, offering, plan }) => ({
  id: `plan-${broker}-${offering}-${plan}`,
  name: plan,
  description: '',
  catalog_id: `catalog-${broker}-${offering}-${plan}`,
  catalog_name: plan,
  service_offering_id: `offering-${broker}-${offering}`,
}));

/** By what an order names: the broker, and the ids of its own catalog. */
export const soldAs = (brokerId: string, serviceId: string, planId: string) =>
  sold.find(
    (_each, n) =>
      offerings[n]?.broker_id === brokerId &&
      offerings[n].catalog_id === serviceId &&
      plans[n]?.catalog_id === planId,
  );

const condition = /^(\w+) eq '((?:[^']|'')*)'(?: and |$)/;

/** Those that fit `field eq 'value' and …`; undefined if the query cannot be read. */
export function matching<Item extends object>(
  items: readonly Item[],
  fieldQuery: string,
): Item[] | undefined {
  let found = [...items];
  for (let rest = fieldQuery; rest !== '';) {
    const [text, field, value] = condition.exec(rest) ?? [];
    if (text === undefined || value === undefined) return undefined;
    const wanted = value.replaceAll("''", "'");
    found = found.filter((item) =>
      Object.entries(item).some(([k, v]) => k === field && v === wanted),
    );
    rest = rest.slice(text.length);
  }
  return found;
}
