import type { ClientBase, Pool } from 'pg';
import { openSecrets, sealSecrets, type Keyring, type SecretColumn } from '#database';
import type { DetailsChange, Instance, InstanceDetails, OrderContext } from '../instance.ts';
import type { ProvisioningParameters } from '../plans/parse-parameters.ts';
import type { Platform, PlatformProvider } from '../plans/platform.ts';

/** A pool, or a client in the middle of a transaction. */
export type Queryable = Pool | ClientBase;

export type NewInstance = Omit<
  Instance,
  | 'createdAt'
  | 'updatedAt'
  | 'expiredAt'
  | 'deletedAt'
  | 'details'
  | 'maintenanceVersion'
  | 'runtimeId'
  | 'subscriptionAccount'
> & { readonly maintenanceVersion?: string | undefined };

type Row = {
  id: string;
  service_id: string;
  plan_id: string;
  plan_name: string;
  global_account: string;
  subaccount: string;
  subscription_account: string | null;
  platform_region: string;
  platform_provider: PlatformProvider;
  provider: string;
  region: string;
  context: unknown;
  parameters: unknown;
  shoot_name: string;
  shoot_domain: string;
  dashboard_url: string;
  runtime_id: string | null;
  details: InstanceDetails;
  maintenance_version: string | null;
  created_at: Date;
  updated_at: Date;
  expired_at: Date | null;
  deleted_at: Date | null;
};

/** Every query on instances. */
export class InstancesTable {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** False if there is one of this id, or on a Shoot of this name. */
  async insert(db: Queryable, instance: NewInstance): Promise<boolean> {
    const { id, platform } = instance;
    const { rowCount } = await db.query(
      `insert into instances (id, service_id, plan_id, plan_name, global_account, subaccount, platform_region,
         platform_provider, provider, region, context, parameters, shoot_name, shoot_domain, dashboard_url,
         maintenance_version)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
       on conflict do nothing`,
      [
        id,
        instance.serviceId,
        instance.planId,
        instance.planName,
        instance.globalAccount,
        instance.subaccount,
        platform.region,
        platform.provider,
        instance.provider,
        instance.region,
        this.#sealed(id, instance.context),
        this.#sealed(id, instance.parameters),
        instance.shootName,
        instance.shootDomain,
        instance.dashboardUrl,
        instance.maintenanceVersion ?? null,
      ],
    );
    return rowCount === 1;
  }

  async get(db: Queryable, id: string): Promise<Instance | undefined> {
    const { rows } = await db.query<Row>('select * from instances where id = $1', [id]);
    return rows[0] && this.#opened(rows[0]);
  }

  /** The same, and nobody else changes it until the transaction is over. */
  async lock(db: ClientBase, id: string): Promise<Instance | undefined> {
    const { rows } = await db.query<Row>('select * from instances where id = $1 for update', [id]);
    return rows[0] && this.#opened(rows[0]);
  }

  async isShootTaken(db: Queryable, shootName: string): Promise<boolean> {
    const { rowCount } = await db.query('select from instances where shoot_name = $1', [shootName]);
    return rowCount === 1;
  }

  async setRuntime(db: Queryable, id: string, runtimeId: string | undefined): Promise<void> {
    await db.query('update instances set runtime_id = $2, updated_at = now() where id = $1', [
      id,
      runtimeId ?? null,
    ]);
  }

  /** The same, unless it has one. */
  async giveRuntime(db: Queryable, id: string, runtimeId: string): Promise<void> {
    await db.query(
      'update instances set runtime_id = $2, updated_at = now() where id = $1 and runtime_id is null',
      [id, runtimeId],
    );
  }

  async setDashboardUrl(db: Queryable, id: string, url: string): Promise<void> {
    await db.query('update instances set dashboard_url = $2, updated_at = now() where id = $1', [
      id,
      url,
    ]);
  }

  async setContext(db: Queryable, id: string, context: OrderContext): Promise<void> {
    await db.query('update instances set context = $2, updated_at = now() where id = $1', [
      id,
      this.#sealed(id, context),
    ]);
  }

  /** To another account. The hyperscaler's account stays with the first one. */
  async move(db: Queryable, { id, globalAccount, context }: Instance, to: string): Promise<void> {
    await db.query(
      `update instances set global_account = $2, subscription_account = coalesce(subscription_account, $3),
              context = $4, updated_at = now()
        where id = $1`,
      [id, to, globalAccount, this.#sealed(id, { ...context, globalaccount_id: to })],
    );
  }

  /** What was wanted is in force. */
  async change(
    db: Queryable,
    id: string,
    to: Pick<Instance, 'planId' | 'planName' | 'context' | 'parameters' | 'maintenanceVersion'>,
  ): Promise<void> {
    await db.query(
      `update instances set plan_id = $2, plan_name = $3, context = $4, parameters = $5, maintenance_version = $6,
              updated_at = now()
        where id = $1`,
      [
        id,
        to.planId,
        to.planName,
        this.#sealed(id, to.context),
        this.#sealed(id, to.parameters),
        to.maintenanceVersion ?? null,
      ],
    );
  }

  /**
   * The id of another instance of that plan that the account has. Until the transaction is over, nobody else finds out
   * about the same plan and account: whoever then stores the only one has stored the only one.
   */
  async otherOfPlan(
    db: ClientBase,
    { account, plan, id }: { readonly account: string; readonly plan: string; readonly id: string },
  ): Promise<string | undefined> {
    const key = `only one ${plan} of ${account}`;
    await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
    const { rows } = await db.query<Pick<Row, 'id'>>(
      `select id from instances
        where global_account = $1 and plan_name = $2 and id <> $3 and deleted_at is null limit 1`,
      [account, plan, id],
    );
    return rows[0]?.id;
  }

  /** Entries that are null are taken away; those that are not named stay. */
  async remember(db: Queryable, id: string, details: DetailsChange): Promise<void> {
    await db.query(
      `update instances set details = jsonb_strip_nulls(details || $2::jsonb), updated_at = now() where id = $1`,
      [id, JSON.stringify(details)],
    );
  }

  /** Entries that are there stay: of two who draw a name at the same time, both go on with the first one. */
  async rememberUnlessKnown(
    db: Queryable,
    id: string,
    details: InstanceDetails,
    change: DetailsChange = {},
  ): Promise<InstanceDetails> {
    const { rows } = await db.query<Pick<Row, 'details'>>(
      `update instances set details = jsonb_strip_nulls($2::jsonb || details || $3::jsonb), updated_at = now()
        where id = $1 returning details`,
      [id, JSON.stringify(details), JSON.stringify(change)],
    );
    return rows[0]?.details ?? {};
  }

  /** Whether another instance of the subaccount is registered in EDP, or about to be. */
  async isEdpShared(db: Queryable, { id, subaccount }: Pick<Instance, 'id' | 'subaccount'>) {
    const { rowCount } = await db.query(
      `select from instances where subaccount = $2 and id <> $1 and details ? 'edpRegistered' limit 1`,
      [id, subaccount],
    );
    return rowCount === 1;
  }

  /** Whether a cluster of any instance is, or will be, in the account that this secret opens. */
  async isSecretUsed(db: Queryable, targetSecret: string): Promise<boolean> {
    const { rowCount } = await db.query(
      `select from instances where details ->> 'targetSecret' = $1 limit 1`,
      [targetSecret],
    );
    return rowCount === 1;
  }

  /** A request to change it has changed nothing. Not even when it was last changed. */
  async countEmptyUpdate(db: Queryable, id: string): Promise<void> {
    await db.query('update instances set empty_updates = empty_updates + 1 where id = $1', [id]);
  }

  /** It never comes back. The first time counts. */
  async expire(db: Queryable, id: string): Promise<void> {
    await db.query(
      'update instances set expired_at = coalesce(expired_at, now()), updated_at = now() where id = $1',
      [id],
    );
  }

  /** Something is left behind: the row stays, for those who clean up. */
  async markDeleted(db: Queryable, id: string): Promise<void> {
    await db.query('update instances set deleted_at = now(), updated_at = now() where id = $1', [
      id,
    ]);
  }

  #sealed(id: string, value: object): string {
    return JSON.stringify(sealSecrets(value, this.#keyring, id));
  }

  #opened(row: Row): Instance {
    const platform: Platform = { region: row.platform_region, provider: row.platform_provider };
    return {
      id: row.id,
      serviceId: row.service_id,
      planId: row.plan_id,
      planName: row.plan_name,
      globalAccount: row.global_account,
      subaccount: row.subaccount,
      subscriptionAccount: row.subscription_account ?? undefined,
      platform,
      provider: row.provider,
      region: row.region,
      // As they were stored.
      context: openSecrets(row.context, this.#keyring, row.id) as OrderContext,
      parameters: openSecrets(row.parameters, this.#keyring, row.id) as ProvisioningParameters,
      shootName: row.shoot_name,
      shootDomain: row.shoot_domain,
      dashboardUrl: row.dashboard_url,
      runtimeId: row.runtime_id ?? undefined,
      details: row.details,
      maintenanceVersion: row.maintenance_version ?? undefined,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      expiredAt: row.expired_at ?? undefined,
      deletedAt: row.deleted_at ?? undefined,
    };
  }
}

/** Where secrets are, for the rotation of keys. */
export const instanceSecrets: readonly SecretColumn[] = [
  { table: 'instances', key: 'id', column: 'context' },
  { table: 'instances', key: 'id', column: 'parameters' },
];
