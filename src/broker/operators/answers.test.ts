import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { eventually } from '../../database/testing.ts';
import { orderOf, startApi } from '../api/testing.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Content = { readonly 'application/json'?: { readonly schema: Schema } };
type Method = { readonly responses: Readonly<Record<string, { readonly content?: Content }>> };

let world: Awaited<ReturnType<typeof startApi>>;
let paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
const known: Record<string, string> = {};
before(async () => {
  world = await startApi({ withRealSteps: true });
  ({ paths } = JSON.parse((await world.call('GET', '/openapi.json')).text) as {
    paths: typeof paths;
  });
  await furnish();
});
after(() => world[Symbol.asyncDispose]());

/** One runtime that is there, one that failed, one that is tried again, an orchestration, a job's run. */
async function furnish(): Promise<void> {
  const order = async () => {
    const instanceId = randomUUID();
    const context = { ...orderOf().context, subaccount_id: randomUUID() };
    return { instanceId, id: world.operationOf(await world.put(instanceId, orderOf({ context }))) };
  };
  const { id: provisioning, instanceId } = await order();
  await world.pass(provisioning);
  await world.binding('PUT', instanceId, '', { ...orderOf(), parameters: {} });
  const fault = { system: 'edp', path: '^/namespaces/.*/dataTenants' };
  world.landscape.faults.add({ ...fault, action: { kind: 'answer', status: 400 } });
  const { id: failed } = await order();
  await world.pass(failed);
  world.landscape.faults.remove();
  world.landscape.faults.add({ ...fault, action: { kind: 'answer', status: 500 } });
  const { id: retrying } = await order();
  await world.pass(retrying, ({ error }) => error !== null);
  const targets = { include: [{ target: 'all' }] };
  const { body } = await world.call('POST', '/upgrade/kyma', { body: { targets } });
  const orchestrationId = String(body['orchestrationID']);
  const upgrade = await eventually(async () => {
    const { body: found } = await world.call(
      'GET',
      `/orchestrations/${orchestrationId}/operations`,
    );
    return (found['data'] as { operationID: string }[])[0];
  });
  const [job] = JSON.parse((await world.call('GET', '/jobs')).text) as { name: string }[];
  await world.call('POST', `/jobs/${job?.name ?? ''}/run`, { body: { dryRun: true } });
  Object.assign(known, {
    instanceId,
    operationId: failed,
    orchestrationId,
    name: job?.name,
    upgradeId: upgrade.operationID,
  });
}

test('each list and each item is answered as it is described', async () => {
  const described = Object.entries(paths).filter(
    ([path, { get }]) => get && !/^\/(?:v2|oauth|healthz|readyz|metrics|kubeconfig)/.test(path),
  );
  const seen: string[] = [];
  for (const [path, { get }] of described) {
    if (path.endsWith('/stream') || path === '/openapi.json') continue;
    const schema = get?.responses['200']?.content?.['application/json']?.schema;
    assert.ok(schema && Object.keys(schema).length > 0, `${path} does not say what it answers`);
    const isUpgrade = path.startsWith('/orchestrations');
    const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(known[isUpgrade && name === 'operationId' ? 'upgradeId' : name] ?? ''),
    );
    const { status, text } = await world.call('GET', url);
    assert.equal(status, 200, `${url}: ${text}`);
    const { error } = z.fromJSONSchema(schema).safeParse(JSON.parse(text));
    assert.equal(error && z.prettifyError(error), undefined, `${url}: ${text.slice(0, 2_000)}`);
    assert.doesNotMatch(text, /^(?:\[\]|\{"data":\[\])/, `${url} tells of nothing`);
    seen.push(path);
  }
  assert.ok(seen.length >= 20, seen.join(', '));
});

test('an answer with a field that nobody described would be noticed', async () => {
  const schema = paths['/version']?.['get']?.responses['200']?.content?.['application/json'];
  const parsed = z.fromJSONSchema(schema?.schema ?? {}).safeParse({ version: '1', other: 1 });
  assert.equal(parsed.success, false);
});

test('what is done to an operation is answered as it is described', async () => {
  const { text, status } = await world.call('POST', `/operations/${known['operationId']}/retry`, {
    body: { dryRun: true },
  });
  const { responses } = paths['/operations/{operationId}/retry']?.['post'] ?? assert.fail();
  const schema = responses[String(status)]?.content?.['application/json']?.schema;
  assert.equal(z.fromJSONSchema(schema ?? false).safeParse(JSON.parse(text)).success, true, text);
});
