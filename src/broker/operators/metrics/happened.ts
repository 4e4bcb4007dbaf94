import type { Pool } from 'pg';
import type { OperationEvent } from '#engine';
import type { Api } from '../../api/api.ts';
import type { PlanIds } from './plan-ids.ts';

type Event = OperationEvent & { readonly kind: 'step' | 'ended' };

/** What has happened in this process, and to which operation. */
export type Happened = {
  readonly event: Event;
  readonly instance_id: string;
  readonly global_account_id: string;
  readonly plan_id: string;
};

const types = new Set(['provision', 'update', 'deprovision']);

// Events do not say which plan: that is looked up when somebody asks, for so many of them.
const mostKept = 20_000;

/** Returns what tells all that has happened since it was last asked. */
export function gatherHappened(
  { engine, database: { pool } }: Pick<Api, 'engine' | 'database'>,
  planIds: PlanIds,
): () => Promise<Happened[]> {
  let kept: Event[] = [];
  engine.listen((event) => {
    const isKept = event.kind === 'step' || event.kind === 'ended';
    if (isKept && types.has(event.type ?? '') && kept.length < mostKept) kept.push(event);
  });

  return async () => {
    const seen = kept;
    kept = []; // at once: another one who asks meanwhile must not count them, too
    if (seen.length === 0) return [];
    try {
      const known = await operationsOf(pool, [...new Set(seen.map(({ operation }) => operation))]);
      return seen.map((event) => {
        const {
          plan = '',
          instance_id = '',
          global_account_id = '',
        } = known.get(event.operation) ?? {};
        return { event, instance_id, global_account_id, plan_id: planIds.of(plan) };
      });
    } catch (error) {
      kept = [...seen, ...kept].slice(0, mostKept);
      throw error;
    }
  };
}

type Row = {
  readonly id: string;
  readonly instance_id: string;
  readonly global_account_id: string;
  readonly plan: string;
};

async function operationsOf(pool: Pool, ids: readonly string[]): Promise<Map<string, Row>> {
  const { rows } = await pool.query<Row>(
    `select o.id, o.subject as instance_id, o.account as global_account_id,
            coalesce(o.facts ->> 'plan', i.plan_name, '') as plan
       from operations o left join instances i on i.id = o.subject
      where o.id = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
