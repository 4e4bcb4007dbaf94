import type { Milliseconds } from '#time';
import { nowAt } from './database-time.ts';
import type { OperationRow, OperationState, Queryable } from './operations-table.ts';

/** What people call the open ones. `stuck`: see `isStuck`. */
export const activities = ['queued', 'waiting', 'retrying', 'running', 'due', 'stuck'] as const;
export type Activity = (typeof activities)[number];

/** Values of one filter are alternatives; all filters must hold. Those that are not given, or are empty, do not count. */
export type OperationFilter = {
  readonly ids?: readonly string[];
  readonly states?: readonly OperationState[];
  readonly types?: readonly string[];
  readonly subjects?: readonly string[];
  readonly accounts?: readonly string[];
  readonly steps?: readonly string[];
  readonly systems?: readonly string[];
  readonly activities?: readonly Activity[];
  readonly fingerprints?: readonly string[];
};

export const operationOrders = ['createdAt', 'updatedAt', 'endedAt', 'type', 'state'] as const;
export type OperationOrder = (typeof operationOrders)[number];

export type OperationPage = {
  readonly limit: number;
  readonly offset: number;
  readonly order?: OperationOrder;
  readonly descending?: boolean;
};

export type OperationList = { readonly operations: OperationRow[]; readonly total: number };

/** It does not get on: in the same step for an hour, or trying in vain for a quarter of one, or replicas die of it. */
const isStuck = (now: string) =>
  `(state = 'in progress' and (waiting_since < ${now} - interval '1 hour' or losses > 2
    or error is not null and waiting_since < ${now} - interval '15 minutes'))`;

/** Of an open operation, as a condition on its row. `now`: as SQL. */
export const activityCondition = (activity: Activity, now: string): string => {
  switch (activity) {
    case 'queued':
      return `state = 'pending'`;
    case 'waiting':
      return `(claimed_by is null and due_at > ${now})`;
    case 'retrying':
      return `(state = 'in progress' and error is not null)`;
    case 'running':
      return 'claimed_by is not null';
    case 'due':
      return `(claimed_by is null and due_at <= ${now})`;
    case 'stuck':
      return isStuck(now);
  }
};

const columns: Record<OperationOrder, string> = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  endedAt: 'ended_at',
  type: 'type',
  state: 'state',
};

export async function listOperations(
  db: Queryable,
  offset: Milliseconds,
  filter: OperationFilter,
  page: OperationPage,
): Promise<OperationList> {
  const { text, values } = conditions(filter, nowAt(offset));
  const { order = 'createdAt', descending = true } = page;
  const direction = descending ? 'desc' : 'asc';
  const [found, counted] = await Promise.all([
    db.query<OperationRow>(
      `select * from operations where ${text} order by ${columns[order]} ${direction}, number ${direction}
        limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(
      `select count(*)::int as count from operations where ${text}`,
      values,
    ),
  ]);
  return { operations: found.rows, total: counted.rows[0]?.count ?? 0 };
}

/** Texts of ours; what callers gave are values. */
function conditions(filter: OperationFilter, now: string): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const texts: string[] = [];
  const among = (column: string, given: readonly string[] | undefined, type = 'text') => {
    if (!given?.length) return;
    values.push(given);
    texts.push(`${column} = any($${values.length}::${type}[])`);
  };
  among('id', filter.ids, 'uuid');
  among('state', filter.states);
  among('type', filter.types);
  among('subject', filter.subjects);
  among('account', filter.accounts);
  among('step', filter.steps);
  among('fingerprint', filter.fingerprints);
  if (filter.systems?.length) {
    values.push(filter.systems);
    texts.push(`coalesce(system, error ->> 'system') = any($${values.length}::text[])`);
  }
  if (filter.activities?.length) {
    const alternatives = filter.activities.map((each) => activityCondition(each, now)).join(' or ');
    texts.push(`ended_at is null and (${alternatives})`);
  }
  return { text: texts.join(' and ') || 'true', values };
}
