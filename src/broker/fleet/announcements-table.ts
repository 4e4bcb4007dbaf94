import type { Queryable } from './orchestrations-table.ts';

export type Announcement = {
  readonly operationId: string;
  readonly instanceId: string;
  readonly window: { readonly begin: Date; readonly end: Date } | undefined;
};

type Row = {
  operation_id: string;
  instance_id: string;
  window_begin: Date | null;
  window_end: Date | null;
};

/** Which customers know of their upgrade. */
export class AnnouncementsTable {
  /** Takes some of those who are to be told, and marks them as told: nobody else tells them. */
  async take(db: Queryable, orchestrationId: string, limit: number): Promise<Announcement[]> {
    const { rows } = await db.query<Row>(
      `update orchestration_operations set notification = 'created'
        where operation_id = any(array(
          select operation_id from orchestration_operations
           where orchestration_id = $1 and state = 'pending' and notification = 'pending'
           order by instance_id limit $2 for update skip locked))
       returning operation_id, instance_id, window_begin, window_end`,
      [orchestrationId, limit],
    );
    return rows.map((row) => ({
      operationId: row.operation_id,
      instanceId: row.instance_id,
      window:
        row.window_begin && row.window_end
          ? { begin: row.window_begin, end: row.window_end }
          : undefined,
    }));
  }

  /** They were not told. */
  async giveBack(db: Queryable, taken: readonly Announcement[]): Promise<void> {
    await db.query(
      `update orchestration_operations set notification = 'pending' where operation_id = any($1::uuid[])`,
      [taken.map(({ operationId }) => operationId)],
    );
  }

  async isAnyTold(db: Queryable, orchestrationId: string): Promise<boolean> {
    const { rowCount } = await db.query(
      `select from orchestration_operations where orchestration_id = $1 and notification = 'created' limit 1`,
      [orchestrationId],
    );
    return rowCount === 1;
  }

  /** Those whose upgrade never came know that it does not come. */
  async cancel(db: Queryable, orchestrationId: string): Promise<void> {
    await db.query(
      `update orchestration_operations set notification = 'cancelled'
        where orchestration_id = $1 and state = 'canceled' and notification = 'created'`,
      [orchestrationId],
    );
  }
}
