import type { ClientBase } from 'pg';
import { systemClock, type Clock, type Milliseconds } from '#time';
import { windowAt, type Weekday, type Window, type WindowTimes } from './maintenance-window.ts';
import type { Target } from './orchestration.ts';
import { nowOf, type Queryable } from './orchestrations-table.ts';

export type UpgradeState = 'pending' | 'in progress' | 'succeeded' | 'failed' | 'canceled';

/** An upgrade that shall be: of which runtime, when, and as which operation. */
export type PlannedUpgrade = Target & {
  readonly wave: number;
  readonly times: WindowTimes | undefined;
  readonly window: Window | undefined;
};

/** One that an orchestration may begin now. */
export type DueUpgrade = { readonly operationId: string; readonly instanceId: string };

/** How far the upgrades have come. */
export type WaveCount = {
  readonly wave: number;
  readonly state: UpgradeState;
  readonly count: number;
  /** Failures that a later attempt may mend. */
  readonly superseded: boolean;
  readonly lastEnd: Date | null;
};

export type RetryCandidate = {
  readonly operationId: string;
  readonly instanceId: string;
  readonly shootName: string;
  /** An operation of the same kind that came later, whoever wanted it. */
  readonly isOld: boolean;
};

/** Every query that processing asks of an orchestration's upgrades. Times are the database's, moved as the clock is. */
export class UpgradesTable {
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Makes them the upgrades of an orchestration that has not begun. Who is not among them any more is canceled. */
  async plan(
    db: ClientBase,
    orchestrationId: string,
    planned: readonly PlannedUpgrade[],
    notification: boolean,
  ): Promise<void> {
    const now = nowOf(this.#clock);
    await db.query(
      `update orchestration_operations set state = 'canceled', description = 'Operation was canceled', ended_at = ${now},
              updated_at = ${now}
        where orchestration_id = $1 and state = 'pending' and not instance_id = any($2)`,
      [orchestrationId, planned.map(({ instanceId }) => instanceId)],
    );
    await db.query(
      `insert into orchestration_operations (operation_id, orchestration_id, instance_id, attempt, runtime_id,
         global_account, subaccount, plan_id, plan_name, region, shoot_name, wave, window_days, window_opens, window_closes,
         window_begin, window_end, state, description, notification, created_at, updated_at)
       select gen_random_uuid(), $1, p."instanceId", 1, p."runtimeId", p."globalAccount", p.subaccount, p."planId",
              p."planName", p.region, p."shootName", p.wave, p.days, p.opens, p.closes, p.begin, p."end", 'pending',
              'Operation created', case when $3 then 'pending' else '' end, ${now}, ${now}
         from json_to_recordset($2) as p("instanceId" text, "runtimeId" text, "globalAccount" text, subaccount text,
              "planId" text, "planName" text, region text, "shootName" text, wave integer, days text[], opens text,
              closes text, begin timestamptz, "end" timestamptz)
       on conflict (orchestration_id, instance_id, attempt) do update set
         runtime_id = excluded.runtime_id, wave = excluded.wave, window_days = excluded.window_days,
         window_opens = excluded.window_opens, window_closes = excluded.window_closes,
         window_begin = excluded.window_begin, window_end = excluded.window_end, state = 'pending', ended_at = null,
         description = excluded.description`,
      [
        orchestrationId,
        JSON.stringify(
          planned.map(({ times, window, ...target }) => ({ ...target, ...times, ...window })),
        ),
        notification,
      ],
    );
  }

  /**
   * Writes down what has become of those that had begun. An operation may also go on that had failed; what is known of one
   * that is no longer on record stays.
   */
  async settle(db: Queryable, orchestrationId: string): Promise<void> {
    const now = nowOf(this.#clock);
    await db.query(
      `with seen as (
         select u.operation_id, u.state as known, o.ended_at, o.description,
                case when o.id is null then case u.state when 'failed' then 'failed' else 'canceled' end
                     when o.ended_at is null then 'in progress' else o.state end as state
           from orchestration_operations u left join operations o on o.id = u.operation_id
          where u.orchestration_id = $1
            and (u.state = 'in progress' or (u.state = 'failed' and not u.superseded)))
       update orchestration_operations u
          set state = seen.state, updated_at = ${now},
              description = coalesce(seen.description, 'its operation is no longer on record'),
              ended_at = case when seen.state <> 'in progress' then coalesce(seen.ended_at, ${now}) end,
              -- From there on the customer hears of it, also of its end, by the upgrade itself.
              times_told = case when exists (select from step_runs r where r.operation_id = seen.operation_id
                                                and r.step = 'Send_Notification' and r.outcome <> 'skip')
                                then 0 else u.times_told end
         from seen where u.operation_id = seen.operation_id and seen.state <> seen.known`,
      [orchestrationId],
    );
  }

  async counts(db: Queryable, orchestrationId: string): Promise<WaveCount[]> {
    const { rows } = await db.query<WaveCount>(
      `select wave, state, superseded, count(*)::integer as count, max(ended_at) as "lastEnd"
         from orchestration_operations where orchestration_id = $1 group by wave, state, superseded`,
      [orchestrationId],
    );
    return rows;
  }

  /** Of these waves and those before: whose window is open, the one that closes first before the others. */
  async due(
    db: Queryable,
    orchestrationId: string,
    wave: number,
    limit: number,
  ): Promise<DueUpgrade[]> {
    const now = nowOf(this.#clock);
    const { rows } = await db.query<DueUpgrade>(
      `select operation_id as "operationId", instance_id as "instanceId" from orchestration_operations
        where orchestration_id = $1 and state = 'pending' and wave <= $2 and (not_before is null or not_before <= ${now})
          and (window_begin is null or (window_begin <= ${now} and window_end > ${now}))
          and (telling_until is null or telling_until <= ${now})
        order by wave, window_end, md5(instance_id) limit $3`,
      [orchestrationId, wave, limit],
    );
    return rows;
  }

  /** When the next of them falls due. */
  async nextDue(db: Queryable, orchestrationId: string, wave: number): Promise<Date | undefined> {
    const { rows } = await db.query<{ at: Date | null }>(
      `select min(greatest(window_begin, not_before, telling_until)) as at from orchestration_operations
        where orchestration_id = $1 and state = 'pending' and wave <= $2`,
      [orchestrationId, wave],
    );
    return rows[0]?.at ?? undefined;
  }

  /** Whoever has missed a window gets the next one. */
  async moveWindows(db: Queryable, orchestrationId: string, now: Date): Promise<void> {
    const { rows } = await db.query<{ days: Weekday[]; opens: string; closes: string }>(
      `select distinct window_days as days, window_opens as opens, window_closes as closes from orchestration_operations
        where orchestration_id = $1 and state = 'pending' and window_end <= $2`,
      [orchestrationId, now],
    );
    for (const times of rows) {
      const { begin, end } = windowAt(times, now);
      await db.query(
        `update orchestration_operations set window_begin = $3, window_end = $4, updated_at = $2
          where orchestration_id = $1 and state = 'pending' and window_end <= $2
            and window_days = $5 and window_opens = $6 and window_closes = $7`,
        [orchestrationId, now, begin, end, times.days, times.opens, times.closes],
      );
    }
  }

  /** False if somebody else has, or it shall not begin any more. */
  async begin(db: ClientBase, operationId: string): Promise<boolean> {
    const { rowCount } = await db.query(
      `update orchestration_operations set state = 'in progress', updated_at = ${nowOf(this.#clock)}
        where operation_id = $1 and state = 'pending'`,
      [operationId],
    );
    return rowCount === 1;
  }

  async postpone(
    db: Queryable,
    operationId: string,
    by: Milliseconds,
    because: string,
  ): Promise<void> {
    const now = nowOf(this.#clock);
    await db.query(
      `update orchestration_operations set not_before = ${now} + $2 * interval '1 millisecond', description = $3,
              updated_at = ${now}
        where operation_id = $1 and state = 'pending'`,
      [operationId, by, because],
    );
  }

  /** Ends one that has never begun. */
  async end(
    db: Queryable,
    operationId: string,
    state: 'succeeded' | 'canceled',
    description: string,
  ): Promise<void> {
    const now = nowOf(this.#clock);
    await db.query(
      `update orchestration_operations set state = $2, description = $3, updated_at = ${now}, ended_at = ${now}
        where operation_id = $1 and state = 'pending'`,
      [operationId, state, description],
    );
  }

  async cancelPending(db: Queryable, orchestrationId: string, description: string): Promise<void> {
    const now = nowOf(this.#clock);
    await db.query(
      `update orchestration_operations set state = 'canceled', description = $2, updated_at = ${now}, ended_at = ${now}
        where orchestration_id = $1 and state = 'pending'`,
      [orchestrationId, description],
    );
  }

  /** Failed ones, of all or of these; each the last attempt on its runtime. */
  async failed(
    db: Queryable,
    orchestrationId: string,
    operationIds: readonly string[],
  ): Promise<RetryCandidate[]> {
    const { rows } = await db.query<RetryCandidate>(
      `select u.operation_id as "operationId", u.instance_id as "instanceId", u.shoot_name as "shootName",
              exists (select from operations newer where newer.subject = u.instance_id and newer.type = o.type
                         and newer.number > o.number and newer.state <> 'canceled' and newer.cancel_because is null) as "isOld"
         from orchestration_operations u left join operations o on o.id = u.operation_id
        where u.orchestration_id = $1 and u.state = 'failed' and not u.superseded
          and (cardinality($2::text[]) = 0 or u.operation_id::text = any($2)) order by u.wave, u.instance_id`,
      [orchestrationId, operationIds],
    );
    return rows;
  }

  /** New attempts on the same runtimes: now, or in the windows that come. */
  async retry(
    db: ClientBase,
    operationIds: readonly string[],
    { immediate, notification }: { readonly immediate: boolean; readonly notification: boolean },
  ): Promise<void> {
    const now = nowOf(this.#clock);
    await db.query(
      `with failed as (
         update orchestration_operations set superseded = true, updated_at = ${now}
          where operation_id = any($1::uuid[]) and state = 'failed' and not superseded returning *)
       insert into orchestration_operations (operation_id, orchestration_id, instance_id, attempt, runtime_id,
         global_account, subaccount, plan_id, plan_name, region, shoot_name, wave, window_days, window_opens, window_closes,
         window_begin, window_end, state, description, notification, times_told, created_at, updated_at)
       select gen_random_uuid(), orchestration_id, instance_id, attempt + 1, runtime_id, global_account, subaccount,
              plan_id, plan_name, region, shoot_name, wave, window_days, window_opens, window_closes,
              case when not $2 then window_begin end, case when not $2 then window_end end, 'pending',
              'Operation retry triggered', case when $3 and not $2 and window_begin is not null then 'pending' else '' end,
              least(1, times_told), ${now}, ${now}
         from failed`,
      [operationIds, immediate, notification],
    );
  }
}
