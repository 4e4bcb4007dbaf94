import type { ClientBase } from 'pg';
import { openSecrets, sealSecrets, type Keyring, type SecretColumn } from '#database';
import { systemClock, type Clock, type Milliseconds } from '#time';
import type { BindResource, Binding, BindingCredentials } from '../binding.ts';
import type { BindingParameters } from '../plans/binding-parameters.ts';
import type { Queryable } from './instances-table.ts';

export type NewBinding = Omit<Binding, 'credentials' | 'expiresAt' | 'isExpired' | 'createdAt'>;

type Row = {
  id: string;
  instance_id: string;
  service_id: string;
  plan_id: string;
  parameters: BindingParameters;
  bind_resource: BindResource;
  predecessor_id: string | null;
  credentials: unknown;
  expires_at: Date | null;
  is_expired: boolean | null;
  created_at: Date;
};

/** Every query on bindings. Times are the database's, moved as the clock is. */
export class BindingsTable {
  readonly #keyring: Keyring;
  readonly #clock: Clock;

  constructor(keyring: Keyring, clock: Clock = systemClock) {
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /** False if there is one of this id, of whichever instance. */
  async insert(db: Queryable, binding: NewBinding): Promise<boolean> {
    const { rowCount } = await db.query(
      `insert into bindings (id, instance_id, service_id, plan_id, parameters, bind_resource, predecessor_id, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, ${this.#now})
       on conflict do nothing`,
      [
        binding.id,
        binding.instanceId,
        binding.serviceId,
        binding.planId,
        JSON.stringify(binding.parameters),
        JSON.stringify(binding.bindResource),
        binding.predecessorId ?? null,
      ],
    );
    return rowCount === 1;
  }

  async get(db: Queryable, id: string): Promise<Binding | undefined> {
    const { rows } = await db.query<Row>(`${this.#select} where id = $1`, [id]);
    return rows[0] && this.#opened(rows[0]);
  }

  /** The same, and nobody else changes it until the transaction is over. */
  async lock(db: ClientBase, id: string): Promise<Binding | undefined> {
    const { rows } = await db.query<Row>(`${this.#select} where id = $1 for update`, [id]);
    return rows[0] && this.#opened(rows[0]);
  }

  /** The oldest first. */
  async ofInstance(db: Queryable, instanceId: string): Promise<Binding[]> {
    const { rows } = await db.query<Row>(
      `${this.#select} where instance_id = $1 order by created_at, id`,
      [instanceId],
    );
    return rows.map((row) => this.#opened(row));
  }

  /** Their time runs from this moment on. False if the binding is gone. */
  async setCredentials(
    db: Queryable,
    id: string,
    credentials: BindingCredentials,
    lifetime: Milliseconds,
  ): Promise<boolean> {
    const { rowCount } = await db.query(
      `update bindings set credentials = $2, expires_at = ${this.#now} + $3 * interval '1 millisecond'
        where id = $1`,
      [id, JSON.stringify(sealSecrets(credentials, this.#keyring, id)), lifetime],
    );
    return rowCount === 1;
  }

  async forgetCredentials(db: Queryable, id: string): Promise<void> {
    await db.query('update bindings set credentials = null, expires_at = null where id = $1', [id]);
  }

  /** How long the credentials are still good; undefined if there are none. */
  async timeLeft(db: Queryable, id: string): Promise<Milliseconds | undefined> {
    const { rows } = await db.query<{ left: number | null }>(
      `select (extract(epoch from expires_at - ${this.#now}) * 1000)::float8 as left from bindings where id = $1`,
      [id],
    );
    return rows[0]?.left ?? undefined;
  }

  async remove(db: Queryable, id: string): Promise<void> {
    await db.query('delete from bindings where id = $1', [id]);
  }

  /** The ids of those that were there. */
  async removeOfInstance(db: Queryable, instanceId: string): Promise<string[]> {
    const { rows } = await db.query<Pick<Row, 'id'>>(
      'delete from bindings where instance_id = $1 returning id',
      [instanceId],
    );
    return rows.map(({ id }) => id);
  }

  /** The clock's offset is a number of ours: no caller's text gets in here. */
  get #now(): string {
    return `(now() + ${Math.round(this.#clock.offset)} * interval '1 millisecond')`;
  }

  get #select(): string {
    return `select *, expires_at <= ${this.#now} as is_expired from bindings`;
  }

  #opened(row: Row): Binding {
    const { credentials } = row;
    return {
      id: row.id,
      instanceId: row.instance_id,
      serviceId: row.service_id,
      planId: row.plan_id,
      parameters: row.parameters,
      bindResource: row.bind_resource,
      predecessorId: row.predecessor_id ?? undefined,
      credentials:
        credentials === null
          ? undefined
          : (openSecrets(credentials, this.#keyring, row.id) as BindingCredentials), // as they were sealed
      expiresAt: row.expires_at ?? undefined,
      isExpired: row.is_expired ?? false,
      createdAt: row.created_at,
    };
  }
}

/** Where secrets are, for the rotation of keys. */
export const bindingSecrets: readonly SecretColumn[] = [
  { table: 'bindings', key: 'id', column: 'credentials' },
];
