// Pictures of every page of the console, for docs/console.md: npm run screenshots. Needs a Chromium, as the tests do.
import { randomUUID } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import {
  cannotRun,
  openTab,
  signIn,
  startWorld,
  untilLoaded,
  type Look,
} from '../tests/console/world.ts';

const folder = join(import.meta.dirname, '../docs/console');
const largest = 150_000;
const serviceId = '47c9dcbf-ff30-448e-ab36-d3bad66ba281';
const plans = {
  azure: '4deee563-e5ec-4731-b9b1-53b42d855f0c',
  aws: '361c511f-f939-4621-b228-d0fb79a1fe15',
  gcp: 'ca6e5357-707f-4565-bbbd-b3ab732597c6',
};

if (cannotRun !== false) throw new Error(cannotRun);
await mkdir(folder, { recursive: true });
await using world = await startWorld();
const call = (method: string, path: string, body?: object) =>
  world.call<Answered>(method, path, body);

const ready = [
  await order('orders', 'azure', 'ga-retail'),
  await order('payments', 'aws', 'ga-retail'),
  await order('forecast', 'gcp', 'ga-energy'),
  await order('inventory', 'azure', 'ga-retail'),
  await order('sandbox', 'aws', 'ga-energy'),
];
for (const id of ready) await untilEnded(id);
await call('POST', '/upgrade/kyma', {
  targets: { include: [{ target: 'all' }] },
  strategy: { schedule: 'now', parallel: { workers: 2 }, waves: [{ size: 2 }], waveSoak: '24h' },
});
await until(async () => {
  const { progress } = (await call('GET', '/orchestrations')).data[0] ?? {};
  return (progress as { succeeded: number }).succeeded === 2; // the contract of the operator API
});
await faults([{ system: 'gardener', action: { kind: 'answer', status: 403 } }]);
await untilEnded(await order('reporting', 'azure', 'ga-energy'));
await faults([{ system: 'gardener', action: { kind: 'answer', status: 503 } }]);
const waiting = await order('billing', 'aws', 'ga-retail');

const { orchestrationID } = (await call('GET', '/orchestrations')).data[0] ?? {};
const wide: Look = { height: 800 };
await picture('sign-in', wide, async (page) => {
  await page.goto(`${world.broker}/ui/`);
  await page.getByRole('button', { name: 'Ada Admin' }).waitFor();
});
await picture('a-system-is-away', wide, async (page) => {
  await signIn(page, `${world.broker}/ui/runtimes/${waiting}`);
  await page.getByText('What to do:').waitFor(); // not at the moment when it is tried again
});
await signedIn('runtimes', wide, '/ui/runtimes');
await signedIn('runtime', { height: 1_150 }, `/ui/runtimes/${ready[0]}`);
await signedIn('runtime-dark', { height: 1_150, colorScheme: 'dark' }, `/ui/runtimes/${ready[0]}`);
await signedIn('runtimes-on-a-phone', { width: 380, height: 800 }, '/ui/runtimes');
await signedIn('order', wide, '/ui/order?plan=azure');
await signedIn('fleet', { height: 1_000 }, '/ui/fleet');
await signedIn('orchestrations', wide, '/ui/orchestrations');
await signedIn('orchestration', wide, `/ui/orchestrations/${String(orchestrationID)}`);
await signedIn('new-orchestration', wide, '/ui/orchestrations/new');
await signedIn('jobs', wide, '/ui/jobs');
await signedIn('landscape', { height: 1_000 }, '/ui/landscape');

async function signedIn(name: string, look: Look, path: string): Promise<void> {
  await picture(name, look, async (page) => {
    await signIn(page, world.broker + path);
    await untilLoaded(page);
  });
}

async function picture(name: string, look: Look, show: (page: Page) => Promise<void>) {
  await using tab = await openTab(world.browser, look);
  await show(tab.page);
  const path = join(folder, `${name}.png`);
  await tab.page.screenshot({ path, animations: 'disabled' });
  const { size } = await stat(path);
  console.log(`${name}.png, ${Math.ceil(size / 1_000)} kB`);
  if (size > largest) throw new Error(`${path} is larger than ${largest} bytes`);
}

async function order(name: string, plan: keyof typeof plans, account: string): Promise<string> {
  const id = randomUUID();
  await call('PUT', `/oauth/cf-eu20/v2/service_instances/${id}?accepts_incomplete=true`, {
    service_id: serviceId,
    plan_id: plans[plan],
    context: {
      globalaccount_id: account,
      subaccount_id: `${account}-1`,
      user_id: 'ann@example.com',
    },
    parameters: { name },
  });
  return id;
}

async function untilEnded(id: string): Promise<void> {
  const path = `/oauth/cf-eu20/v2/service_instances/${id}/last_operation`;
  await until(async () => (await call('GET', path))['state'] !== 'in progress');
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(300);
}

async function faults(body: readonly object[]): Promise<void> {
  await fetch(`${world.landscape}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

type Answered = Readonly<Record<string, unknown>> & {
  readonly data: readonly Readonly<Record<string, unknown>>[];
};
