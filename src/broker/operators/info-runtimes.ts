import type { Pool } from 'pg';
import type { Api } from '../api/api.ts';
import { route } from '../api/operator-route.ts';
import { InfoAnswer } from './runtime-answer.ts';

type InfoRow = {
  readonly id: string;
  readonly service_id: string;
  readonly plan_id: string;
  readonly plan_name: string;
  readonly global_account: string;
  readonly subaccount: string;
  readonly platform_region: string;
  readonly runtime_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
  readonly position: string;
  readonly provisioning: Ended | null;
  readonly deprovisioning: Ended | null;
};
type Ended = { readonly state: string; readonly description: string };

const batch = 5_000;

export const infoRuntimes = (api: Api) =>
  route({
    method: 'GET',
    path: '/info/runtimes',
    right: { scope: 'cld:read' },
    about: 'All runtimes in brief, oldest first, in one answer',
    answers: InfoAnswer,
    asFailure: ({ status, requestId, message }) => ({ status, requestId, message }),
    async handle() {
      const { name } = api.plans.service;
      const body: object[] = [];
      for (let last: InfoRow | undefined; ;) {
        const rows = await nextRows(api.database.pool, last);
        body.push(...rows.map((row) => infoItem(row, name)));
        last = rows.at(-1);
        if (rows.length < batch) return { status: 200, body };
      }
    },
  });

async function nextRows(pool: Pool, last: InfoRow | undefined): Promise<InfoRow[]> {
  const { rows } = await pool.query<InfoRow>({
    name: 'info-runtimes',
    text: `
      select i.id, i.service_id, i.plan_id, i.plan_name, i.global_account, i.subaccount, i.platform_region, i.runtime_id,
             i.created_at, i.updated_at, i.deleted_at, i.created_at::text as position,
             (select jsonb_build_object('state', state, 'description', description) from operations
               where subject = i.id and type = 'provision' order by number limit 1) as provisioning,
             (select jsonb_build_object('state', state, 'description', description) from operations
               where subject = i.id and type = 'deprovision' and not facts @> '{"temporary": true}'
               order by number desc limit 1) as deprovisioning
        from instances i where (i.created_at, i.id) > ($1::timestamptz, $2)
       order by i.created_at, i.id limit $3`,
    values: [last?.position ?? '-infinity', last?.id ?? '', batch],
  });
  return rows;
}

const infoItem = (row: InfoRow, serviceName: string) => ({
  runtimeId: row.runtime_id ?? '',
  globalAccountId: row.global_account,
  subaccountId: row.subaccount,
  subaccountRegion: row.platform_region,
  serviceInstanceId: row.id,
  serviceClassId: row.service_id,
  serviceClassName: serviceName,
  servicePlanId: row.plan_id,
  servicePlanName: row.plan_name,
  status: {
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.deleted_at && { deletedAt: row.deleted_at }),
    ...(row.provisioning && { provisioning: row.provisioning }),
    ...(row.deprovisioning && { deprovisioning: row.deprovisioning }),
  },
});
