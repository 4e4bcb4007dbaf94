import { minutes, systemClock, type Clock } from '#time';
import { nowOf, type Queryable } from './orchestrations-table.ts';

export type Announcement = {
  readonly operationId: string;
  readonly instanceId: string;
  readonly window: { readonly begin: Date; readonly end: Date } | undefined;
  /** They are not told a third time. */
  readonly isLast: boolean;
};

type Row = {
  operation_id: string;
  instance_id: string;
  window_begin: Date | null;
  window_end: Date | null;
  is_last: boolean;
};

/** Longer than a call to SPC can take: afterwards whoever has sent it is no longer there. */
const onTheWay = minutes(2);
const timesAtMost = 2;

/** Which customers know of an upgrade that has not begun. Times are the database's, moved as the clock is. */
export class AnnouncementsTable {
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Some of those who are to be told, and for a while nobody else tells them. The last time counts as told, whatever becomes
   * of it.
   */
  async take(db: Queryable, orchestrationId: string, limit: number): Promise<Announcement[]> {
    const now = nowOf(this.#clock);
    const { rows } = await db.query<Row>(
      `update orchestration_operations
          set times_told = times_told + 1, telling_until = ${now} + $3 * interval '1 millisecond',
              notification = case when times_told + 1 < ${timesAtMost} then notification else 'created' end
        where operation_id = any(array(
          select operation_id from orchestration_operations
           where orchestration_id = $1 and state = 'pending' and notification = 'pending'
             and (telling_until is null or telling_until <= ${now})
           order by instance_id limit $2 for update skip locked))
       returning operation_id, instance_id, window_begin, window_end, times_told >= ${timesAtMost} as is_last`,
      [orchestrationId, limit, onTheWay],
    );
    return rows.map((row) => ({
      operationId: row.operation_id,
      instanceId: row.instance_id,
      window:
        row.window_begin && row.window_end
          ? { begin: row.window_begin, end: row.window_end }
          : undefined,
      isLast: row.is_last,
    }));
  }

  async told(db: Queryable, taken: readonly Announcement[]): Promise<void> {
    await db.query(
      `update orchestration_operations set notification = 'created', telling_until = null
        where operation_id = any($1::uuid[])`,
      [idsOf(taken)],
    );
  }

  /** They were not told. */
  async refused(db: Queryable, taken: readonly Announcement[]): Promise<void> {
    await db.query(
      `update orchestration_operations
          set notification = 'pending', telling_until = null, times_told = greatest(0, times_told - 1)
        where operation_id = any($1::uuid[])`,
      [idsOf(taken)],
    );
  }

  /** Nobody knows whether they were told; it is not under way any more. */
  async unanswered(db: Queryable, taken: readonly Announcement[]): Promise<void> {
    await db.query(
      `update orchestration_operations set telling_until = null where operation_id = any($1::uuid[])`,
      [idsOf(taken)],
    );
  }

  /** How long somebody may still be telling customers. */
  async timeOnTheWay(db: Queryable, orchestrationId: string): Promise<number> {
    const { rows } = await db.query<{ left: number | null }>(
      `select (extract(epoch from max(telling_until) - ${nowOf(this.#clock)}) * 1000)::float8 as left
         from orchestration_operations where orchestration_id = $1`,
      [orchestrationId],
    );
    return Math.max(0, rows[0]?.left ?? 0);
  }

  /** Customers who may have been told of an upgrade that has come to nothing before it could say that it begins. */
  async inVain(db: Queryable, orchestrationId: string): Promise<string[]> {
    const { rows } = await db.query<{ instance_id: string }>(
      `select instance_id from orchestration_operations
        where orchestration_id = $1 and times_told > 0 and not superseded and state not in ('pending', 'in progress')
        order by instance_id`,
      [orchestrationId],
    );
    return rows.map(({ instance_id }) => instance_id);
  }

  /** They know that it does not come. */
  async takenBack(
    db: Queryable,
    orchestrationId: string,
    instanceIds: readonly string[],
  ): Promise<void> {
    await db.query(
      `update orchestration_operations set notification = 'cancelled', times_told = 0
        where orchestration_id = $1 and instance_id = any($2) and times_told > 0`,
      [orchestrationId, instanceIds],
    );
  }
}

const idsOf = (taken: readonly Announcement[]) => taken.map(({ operationId }) => operationId);
