import { days, hours, minutes, seconds, type Milliseconds } from '#time';
import { jsonPath } from './json-path.ts';
import type { Fields, KubernetesObject } from './kubernetes-object.ts';
import type { PrinterColumn, ResourceKind } from './resource-kind.ts';

/** Objects as `kubectl get` wants them: the server decides on the columns. */
export function tableOf(
  kind: ResourceKind,
  objects: readonly KubernetesObject[],
  metadata: Fields,
  { now, include }: { readonly now: Date; readonly include: string },
): Fields {
  const columns = columnsOf(kind);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, type, description = '', priority = 0 }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description,
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map((column) => cellOf(column, object, now)),
      ...(include !== 'None' && { object: include === 'Object' ? object : metadataOf(object) }),
    })),
  };
}

export const metadataOf = ({ metadata }: KubernetesObject): Fields => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

function columnsOf({ additionalPrinterColumns: columns = [] }: ResourceKind): PrinterColumn[] {
  const hasAge = columns.some(({ name }) => name === 'Age');
  return [
    { name: 'Name', type: 'string', value: '.metadata.name' },
    ...columns,
    ...(hasAge
      ? []
      : [{ name: 'Age', type: 'date', value: '.metadata.creationTimestamp' } as const]),
  ];
}

function cellOf({ type, value }: PrinterColumn, object: KubernetesObject, now: Date): unknown {
  if (typeof value === 'function') return value(object);
  const found = jsonPath(value)(object);
  const [first] = found;
  if (first === undefined) return null;
  switch (type) {
    case 'date':
      return typeof first === 'string' ? age(now.getTime() - Date.parse(first)) : '<invalid>';
    case 'string':
      return found
        .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
        .join(' ');
    case 'integer':
    case 'number':
    case 'boolean':
      return first;
  }
}

const year = days(365);
/** Below each limit: the unit, and the smaller one that is still worth saying. */
const precision: readonly [below: Milliseconds, unit: Milliseconds, rest?: Milliseconds][] = [
  [minutes(2), seconds(1)],
  [minutes(10), minutes(1), seconds(1)],
  [hours(3), minutes(1)],
  [hours(8), hours(1), minutes(1)],
  [hours(48), hours(1)],
  [days(8), days(1), hours(1)],
  [2 * year, days(1)],
  [8 * year, year, days(1)],
  [Infinity, year],
];
const letters = new Map([
  [seconds(1), 's'],
  [minutes(1), 'm'],
  [hours(1), 'h'],
  [days(1), 'd'],
  [year, 'y'],
]);

/** As kubectl writes ages: '45s', '5m10s', '3d4h'. */
export function age(duration: Milliseconds): string {
  const length = Math.max(0, duration);
  const [, unit = seconds(1), rest] = precision.find(([below]) => length < below) ?? [];
  const whole = `${Math.floor(length / unit)}${letters.get(unit)}`;
  const more = rest === undefined ? 0 : Math.floor((length % unit) / rest);
  return more === 0 || rest === undefined ? whole : `${whole}${more}${letters.get(rest)}`;
}
