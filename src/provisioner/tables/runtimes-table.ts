import type { ClientBase, Pool } from 'pg';
import { openSecrets, Secret, sealSecrets, type Keyring, type SecretColumn } from '#database';
import type { GardenerConfig } from '../config/gardener-config.ts';
import type { RuntimeInput } from '../config/gardener-input.ts';
import type { KymaConfigInput } from '../config/kyma-input.ts';

/** A pool, or a client in the middle of a transaction. */
export type Queryable = Pool | ClientBase;

export type Runtime = {
  readonly id: string;
  readonly tenant: string;
  readonly subaccount: string;
  readonly shootName: string;
  /** What Director is told. */
  readonly description: RuntimeInput;
  readonly config: GardenerConfig;
  readonly administrators: readonly string[];
  readonly kyma: KymaConfigInput | undefined;
  readonly createdAt: Date;
  readonly deletedAt: Date | undefined;
};

export type NewRuntime = Omit<Runtime, 'createdAt' | 'deletedAt'>;

/** What an operation puts in force. What is left out stays as it was. */
export type ConfigurationChange = {
  readonly config?: GardenerConfig;
  readonly administrators?: readonly string[];
  readonly kyma?: KymaConfigInput;
};

type Row = {
  id: string;
  tenant: string;
  subaccount: string;
  shoot_name: string;
  description: RuntimeInput;
  config: GardenerConfig;
  administrators: unknown;
  kyma: unknown;
  created_at: Date;
  deleted_at: Date | null;
};

/** Another runtime lives on a Shoot of this name. */
export class ShootNameInUse extends Error {
  override readonly name = 'ShootNameInUse';
}

/** Every query on runtimes and their configurations. People's ids, and overrides, are sealed as a whole. */
export class RuntimesTable {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  async insert(db: Queryable, runtime: NewRuntime, operationId: string): Promise<void> {
    const { id, tenant, subaccount, shootName, description, config, administrators, kyma } =
      runtime;
    const { rowCount } = await db.query(
      `insert into runtimes (id, tenant, subaccount, shoot_name, description, config, administrators, kyma)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
      [
        id,
        tenant,
        subaccount,
        shootName,
        description,
        config,
        this.#seal(id, administrators),
        this.#seal(id, kyma),
      ],
    );
    if (rowCount === 0)
      throw new ShootNameInUse(`the name ${shootName} is in use by another runtime`);
    await this.#remember(db, runtime, operationId);
  }

  async get(db: Queryable, id: string): Promise<Runtime | undefined> {
    const { rows } = await db.query<Row>('select * from runtimes where id = $1', [id]);
    return rows[0] && this.#opened(rows[0]);
  }

  /** Also in the history, once for each operation. Within a transaction, so that both are told the same. */
  async putInForce(
    db: ClientBase,
    id: string,
    operationId: string,
    change: ConfigurationChange,
  ): Promise<void> {
    const { rows } = await db.query<Row>('select * from runtimes where id = $1 for update', [id]);
    if (!rows[0]) throw new Error(`there is no runtime ${id}`);
    const runtime = { ...this.#opened(rows[0]), ...change };
    await db.query(
      'update runtimes set config = $2, administrators = $3, kyma = $4 where id = $1',
      [id, runtime.config, this.#seal(id, runtime.administrators), this.#seal(id, runtime.kyma)],
    );
    await this.#remember(db, runtime, operationId);
  }

  /** The Kyma configuration that was valid before this operation changed it. */
  async kymaBefore(db: Queryable, operationId: string): Promise<KymaConfigInput | undefined> {
    const { rows } = await db.query<{ operation_id: string; kyma: unknown }>(
      `select before.operation_id, before.kyma
         from configurations before join configurations changed using (runtime_id)
        where changed.operation_id = $1 and before.number < changed.number
        order by before.number desc limit 1`,
      [operationId],
    );
    return (
      rows[0] && (this.#open(rows[0].operation_id, rows[0].kyma) as KymaConfigInput | undefined)
    );
  }

  async markDeleted(db: Queryable, id: string): Promise<void> {
    await db.query('update runtimes set deleted_at = now() where id = $1 and deleted_at is null', [
      id,
    ]);
  }

  async #remember(
    db: Queryable,
    { id, config, kyma }: Pick<Runtime, 'id' | 'config' | 'kyma'>,
    operationId: string,
  ): Promise<void> {
    await db.query(
      `insert into configurations (operation_id, runtime_id, config, kyma) values ($1, $2, $3, $4)
       on conflict (operation_id) do update set config = excluded.config, kyma = excluded.kyma`,
      [operationId, id, config, this.#seal(operationId, kyma)],
    );
  }

  #seal(context: string, value: unknown): string | null {
    if (value === undefined) return null;
    const secret = new Secret(JSON.stringify(value));
    return JSON.stringify(sealSecrets(secret, this.#keyring, context));
  }

  #open(context: string, sealed: unknown): unknown {
    const secret = openSecrets(sealed, this.#keyring, context);
    return secret instanceof Secret ? JSON.parse(secret.reveal()) : undefined;
  }

  #opened(row: Row): Runtime {
    return {
      id: row.id,
      tenant: row.tenant,
      subaccount: row.subaccount,
      shootName: row.shoot_name,
      description: row.description,
      config: row.config,
      // As they were sealed.
      administrators: this.#open(row.id, row.administrators) as string[],
      kyma: this.#open(row.id, row.kyma) as KymaConfigInput | undefined,
      createdAt: row.created_at,
      deletedAt: row.deleted_at ?? undefined,
    };
  }
}

/** Where secrets are, for the rotation of keys. */
export const secretColumns: readonly SecretColumn[] = [
  { table: 'runtimes', key: 'id', column: 'administrators' },
  { table: 'runtimes', key: 'id', column: 'kyma' },
  { table: 'configurations', key: 'operation_id', column: 'kyma' },
];
