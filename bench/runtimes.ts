// What operators look at, with a hundred thousand runtimes: lists, searches, groups of errors and statistics over HTTP.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { withService } from './broker.ts';
import { consoleTimes } from './console.ts';
import { withDatabase } from './databases.ts';
import { percentile, type Figure } from './report.ts';

const runtimes = 100_000;
const times = 15;

const questions: Readonly<Record<string, string>> = {
  first_page: '/runtimes',
  first_page_last_operation_only: '/runtimes?op_detail=last',
  page_900_by_number: '/runtimes?page=900',
  newest_first: '/runtimes?sort=-createdAt',
  by_region_and_plan: '/runtimes?region=westeurope&plan=azure',
  by_account: '/runtimes?account=ga-77',
  by_state_failed: '/runtimes?state=failed',
  by_state_suspended: '/runtimes?state=suspended',
  of_all_states: '/runtimes?state=all',
  sorted_by_state: '/runtimes?state=all&sort=state',
  search_by_a_part: '/runtimes?search=c-77777',
  search_without_a_hit: '/runtimes?search=nobody-has-this',
  search_as_the_console_does:
    '/runtimes?search=c-77777&op_detail=last&sort=-createdAt&page_size=50',
  tried_again: '/runtimes?attention=retrying',
  one_runtime: '/runtimes/i-77777',
  operations: '/operations',
  operations_that_failed: '/operations?state=failed',
  operations_of_a_system: '/operations?system=system-3&activity=retrying',
  errors: '/errors',
  statistics_of_states: '/statistics/states',
  statistics_of_steps: '/statistics/steps',
  queue: '/statistics/queue',
  metrics: '/metrics',
};

export async function benchRuntimes(url: string): Promise<Figure[]> {
  process.stderr.write(`lists of ${runtimes} runtimes\n`);
  const took = await withDatabase(url, (address) =>
    withService(address, { speed: '1', BROKER_WORKERS: '1' }, async ({ osb, landscape }) => {
      await fill(address);
      const at = new URL(osb).origin;
      const cursor = await cursorBehind(at, 20);
      const all = { ...questions, page_by_cursor: `/runtimes?cursor=${cursor}` };
      const measured: Record<string, number[]> = {};
      for (const [name, path] of Object.entries(all))
        for (let time = 0; time < times; time += 1)
          (measured[name] ??= []).push(await ask(at + path));
      measured['kcp_runtimes_as_a_process'] = await kcpRuntimes(at, await landscape.address);
      return { ...measured, ...(await consoleTimes(at, osb, times)) };
    }),
  );
  return Object.entries(took).flatMap(([metric, all]) => {
    // The first one is the one that somebody waits for who has just come.
    const figure = (subject: string, value: number): Figure => ({
      bench: 'runtimes',
      subject,
      metric,
      value,
      unit: 'ms',
    });
    return [figure('first', all[0] ?? NaN), figure('median', percentile(all, 0.5))];
  });
}

async function ask(url: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url);
  await response.text();
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
  return performance.now() - began;
}

/** As an operator waits for it: from the start of the process to its end. */
async function kcpRuntimes(broker: string, landscape: string): Promise<number[]> {
  const home = await mkdtemp(join(tmpdir(), 'kyma-bench-'));
  const env = {
    HOME: home,
    KCP_KEB_API_URL: broker,
    KCP_OIDC_ISSUER_URL: `${landscape}/issuer`,
    KCP_OIDC_CLIENT_ID: 'demo',
    KCP_OIDC_CLIENT_SECRET: 'demo',
  };
  const run = promisify(execFile);
  const took = [];
  try {
    for (let time = 0; time < times; time += 1) {
      const began = performance.now();
      const kcp = join(import.meta.dirname, '../bin/kcp.js');
      await run(process.execPath, [kcp, 'runtimes'], { env });
      took.push(performance.now() - began);
    }
  } finally {
    await rm(home, { recursive: true });
  }
  return took;
}

/** Deep in the list, as somebody gets there who goes from page to page. */
async function cursorBehind(at: string, pages: number): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const response = await fetch(`${at}/runtimes${cursor && `?cursor=${cursor}`}`);
    cursor = ((await response.json()) as { nextCursor: string }).nextCursor;
  }
  return cursor;
}

/**
 * A fleet that has lived for half a year: every runtime was provisioned, some were changed, some are suspended, some
 * failed, and some are being worked on (and due when nobody measures any more).
 */
async function fill(address: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query('set search_path to broker');
    await client.query(
      `insert into instances (id, service_id, plan_id, plan_name, global_account, subaccount, platform_region,
         platform_provider, provider, region, context, parameters, shoot_name, shoot_domain, dashboard_url, runtime_id,
         details, created_at)
       select 'i-' || n, '47c9dcbf-ff30-448e-ab36-d3bad66ba281', '4deee563-e5ec-4731-b9b1-53b42d855f0c',
              (array['azure', 'aws', 'gcp', 'trial'])[n % 4 + 1], 'ga-' || n % 1000, 'sa-' || n, 'cf-eu20', 'Azure', 'azure',
              (array['westeurope', 'eu-central-1', 'europe-west3'])[n % 3 + 1],
              jsonb_build_object('user_id', 'u-' || n || '@example.com', 'active', n % 50 <> 0, 'license_type', 'CUSTOMER'),
              jsonb_build_object('name', 'runtime-' || n, 'machineType', 'Standard_D8_v3'), 'c-' || n, 'example.com',
              'https://dashboard.example.com', case when n % 50 <> 0 then gen_random_uuid()::text end,
              jsonb_build_object('kymaVersion', '2.18.0', 'targetSecret', 'account-' || n % 500),
              now() - n * interval '2 minutes'
         from generate_series(1, $1::int) n`,
      [runtimes],
    );
    await client.query(
      `insert into operations (id, type, subject, account, facts, state, description, error, step, system, waiting_since,
         created_at, started_at, updated_at, ended_at, due_at, finished_stages, history_length)
       select gen_random_uuid(), type, 'i-' || n, 'ga-' || n % 1000,
              jsonb_build_object('plan', 'azure', 'kymaVersion', '2.18.0') || extra, state, state,
              case when state = 'failed' or state = 'in progress' and n % 2 = 0 then
                jsonb_build_object('class', 'system', 'message', 'no answer for ' || n, 'system', 'system-' || n % 10,
                                   'reason', 'reason-' || n % 3, 'step', 'Step_' || n % 7) end,
              'Step_3', case when state = 'in progress' then 'system-' || n % 10 end,
              case when state = 'in progress' then now() - n % 90 * interval '1 minute' end,
              began, began, began + interval '40 minutes',
              case when state <> 'in progress' then began + interval '40 minutes' end,
              case when state = 'in progress' then now() + interval '10 days' end, array['start', 'create_runtime'], 5
         from (
           select n, 'provision' as type, 'succeeded' as state, '{}'::jsonb as extra, now() - n * interval '2 minutes' as began
             from generate_series(1, $1::int) n
           union all
           select n, 'update', case when n % 200 = 7 then 'in progress' when n % 30 = 4 then 'failed' else 'succeeded' end,
                  '{}', now() - n * interval '1 minute' from generate_series(2, $1::int, 5) n
           union all
           select n, 'deprovision', 'succeeded', '{"temporary": true}', now() - n * interval '1 minute'
             from generate_series(50, $1::int, 50) n) as all_of_them
        order by began`,
      [runtimes],
    );
    await client.query(
      `insert into step_runs (operation_id, number, stage, step, outcome, attempt, runs, replica, started_at, ended_at,
                              duration_ms)
       select id, n, 'create_runtime', 'Step_' || n, case when n = 3 then 'retry' else 'done' end, 1, 1, 'one', created_at,
              created_at, random() * 1000
         from operations, generate_series(1, 5) n`,
    );
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
