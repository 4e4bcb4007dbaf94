import type { ClientBase, Pool } from 'pg';
import { systemClock, type Clock } from '#time';
import type {
  Orchestration,
  OrchestrationParameters,
  OrchestrationState,
  OrchestrationType,
} from './orchestration.ts';

export type Queryable = Pool | ClientBase;

type Row = {
  id: string;
  type: OrchestrationType;
  state: OrchestrationState;
  description: string;
  parameters: OrchestrationParameters;
  schedule_time: Date | null;
  paused_because: string | null;
  forgiven: number;
  begun_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export type NewOrchestration = {
  readonly id: string;
  readonly type: OrchestrationType;
  readonly parameters: OrchestrationParameters;
  readonly scheduleTime: Date | undefined;
};

/** What may change of one, together with its state. */
export type OrchestrationChange = {
  readonly state: OrchestrationState;
  readonly description?: string;
  readonly pausedBecause?: string;
  readonly forgiven?: number;
  readonly parameters?: OrchestrationParameters;
};

/** Every query on orchestrations. Times are the database's, moved as the clock is. */
export class OrchestrationsTable {
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async now(db: Queryable): Promise<Date> {
    const { rows } = await db.query<{ now: Date }>(`select ${nowOf(this.#clock)} as now`);
    return rows[0]?.now ?? new Date();
  }

  async insert(db: Queryable, orchestration: NewOrchestration): Promise<void> {
    const { id, type, parameters, scheduleTime = null } = orchestration;
    const now = nowOf(this.#clock);
    await db.query(
      `insert into orchestrations (id, type, state, description, parameters, schedule_time, created_at, updated_at)
       values ($1, $2, 'pending', 'queued for processing', $3, $4, ${now}, ${now})`,
      [id, type, JSON.stringify(parameters), scheduleTime],
    );
  }

  async get(db: Queryable, id: string): Promise<Orchestration | undefined> {
    const { rows } = await db.query<Row>('select * from orchestrations where id = $1', [id]);
    return rows[0] && orchestrationOf(rows[0]);
  }

  /** The same, and nobody else changes it until the transaction is over. */
  async lock(db: ClientBase, id: string): Promise<Orchestration | undefined> {
    const { rows } = await db.query<Row>('select * from orchestrations where id = $1 for update', [
      id,
    ]);
    return rows[0] && orchestrationOf(rows[0]);
  }

  /** Whether upgrades may begin, and nobody says otherwise until the transaction is over; others may ask the same. */
  async mayBegin(db: ClientBase, id: string): Promise<boolean> {
    const { rowCount } = await db.query(
      `select from orchestrations where id = $1 and state = 'in progress' for share`,
      [id],
    );
    return rowCount === 1;
  }

  /** The newest first. */
  async list(
    db: Queryable,
    wanted: {
      readonly states: readonly string[];
      readonly page: number;
      readonly pageSize: number;
    },
  ): Promise<{ readonly data: Orchestration[]; readonly totalCount: number }> {
    const { states, page, pageSize } = wanted;
    const where = 'where cardinality($1::text[]) = 0 or state = any($1)';
    const { rows } = await db.query<Row>(
      `select * from orchestrations ${where} order by number desc limit $2 offset $3`,
      [states, pageSize, (page - 1) * pageSize],
    );
    const { rows: counted } = await db.query<{ count: number }>(
      `select count(*)::integer as count from orchestrations ${where}`,
      [states],
    );
    return { data: rows.map(orchestrationOf), totalCount: counted[0]?.count ?? 0 };
  }

  /** What is not named stays, but for the reason of a pause that is over. */
  async change(db: Queryable, id: string, to: OrchestrationChange): Promise<void> {
    const { state, description, pausedBecause, forgiven, parameters } = to;
    const now = nowOf(this.#clock);
    await db.query(
      `update orchestrations set state = $2, description = coalesce($3, description), paused_because = $4,
              forgiven = coalesce($5, forgiven), parameters = coalesce($6, parameters), updated_at = ${now},
              begun_at = case when $2 = 'in progress' then coalesce(begun_at, ${now}) else begun_at end,
              ended_at = case when $2 in ('canceled', 'succeeded', 'failed') then ${now} end
        where id = $1`,
      [
        id,
        state,
        description ?? null,
        state === 'paused' ? (pausedBecause ?? 'somebody has paused it') : null,
        forgiven ?? null,
        parameters ? JSON.stringify(parameters) : null,
      ],
    );
  }

  async describe(db: Queryable, id: string, description: string): Promise<void> {
    await db.query(
      `update orchestrations set description = $2, updated_at = ${nowOf(this.#clock)}
        where id = $1 and description <> $2`,
      [id, description],
    );
  }
}

/** The database's time, ahead by as much as the clock. */
export const nowOf = ({ offset }: Clock): string =>
  offset === 0 ? 'now()' : `(now() + ${offset} * interval '1 millisecond')`;

const orchestrationOf = (row: Row): Orchestration => ({
  id: row.id,
  type: row.type,
  state: row.state,
  description: row.description,
  parameters: row.parameters,
  scheduleTime: row.schedule_time ?? undefined,
  pausedBecause: row.paused_because ?? undefined,
  forgiven: row.forgiven,
  begunAt: row.begun_at ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
