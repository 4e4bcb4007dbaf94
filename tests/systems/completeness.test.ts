import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as clients from '#clients';
import { startLandscape } from '../../src/landscape/testing.ts';
import { kindIn, kindsOf } from './cluster.ts';
import type { SystemContract } from './contract.ts';
import { contracts, inventory, neverCalled, noClients, otherSimulators } from './index.ts';
import { noting, routeFor } from './routes.ts';
import { systemsTable, tableFile } from './table.ts';
import { callsOf } from './world.ts';

const root = join(import.meta.dirname, '../..');

test('docs/systems.md tells what the contracts say', async () => {
  assert.equal(
    await systemsTable(),
    await readFile(tableFile, 'utf8'),
    'a contract changed: run "npm run systems" and review the difference',
  );
});

test('every path in docs/systems.md is one of a file', async () => {
  const paths = [...(await systemsTable()).matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(
    ([, path = '']) => path,
  );
  assert.notEqual(paths.length, 0);
  const missing = paths.filter((path) => !existsSync(join(root, path)));
  assert.deepEqual([...new Set(missing)], []);
});

test('every system of the inventory has a contract, or nobody calls it', () => {
  const told = new Set([...contracts.map(({ title }) => title), ...Object.keys(neverCalled)]);
  assert.deepEqual(
    inventory.filter((title) => !told.has(title)),
    [],
  );
});

test('every maker of a client is in a contract, and every function of the client', async () => {
  const door = await readFile(join(root, 'src/clients/index.ts'), 'utf8');
  const types = new Set([...door.matchAll(/\btype (\w+)/g)].map(([, type = '']) => type));
  const makers = Object.entries(clients)
    .filter(([name, value]) => typeof value === 'function' && !(name in noClients))
    .map(([name]) => name)
    .filter((name) => types.has(typeNamed(name)));
  assert.ok(makers.includes('edpClient') && makers.includes('runtimeClusters'), 'none are found');
  const known = contracts.map(({ maker }) => maker);
  assert.deepEqual([...new Set(known)].toSorted(), makers.toSorted());
  for (const contract of contracts) {
    const { client, calls } = await callsOf(contract);
    const called = Object.keys(calls).map((name) => name.replace(/ \(.*$/, ''));
    assert.deepEqual(
      [...new Set(called)].toSorted(),
      functionsOf(client).toSorted(),
      contract.title,
    );
  }
});

test('every route of the landscape is one of a contract, or it is known what else it is for', async () => {
  await using whole = await startLandscape();
  const simulated = Object.keys(whole.inventory()).filter((name) => !(name in otherSimulators));
  const byPrefix = Map.groupBy(contracts, ({ system, prefix = system }) => prefix);
  assert.deepEqual([...byPrefix.keys()].toSorted(), simulated.toSorted());
  for (const [prefix, ofPrefix] of byPrefix) {
    const routes = new Set<string>();
    const simulators = new Set(ofPrefix.slice(0, 1).flatMap(({ simulators }) => simulators));
    const systems = [...simulators].map((make) => noting(make, routes));
    await using _landscape = await startLandscape({ systems });
    const endpoints = (await Promise.all(ofPrefix.map(endpointsOf))).flat();
    const others = ofPrefix.flatMap(({ others = {} }) => Object.keys(others));
    const kept = others.filter((other) => !other.startsWith('kind '));
    const used = new Map([...endpoints, ...kept].map((each) => [each, routeFor(each, routes)]));
    const unused = [...routes].filter((route) => ![...used.values()].includes(route));
    assert.deepEqual(unused.filter(isNoRest), [], `${prefix}: nobody calls these`);
    const unserved = [...used].filter(([, route]) => route === undefined).map(([each]) => each);
    assert.deepEqual(unserved, [], `${prefix}: nobody serves these`);
  }
});

test('every kind of a simulated cluster is one of a contract, or it is known what else it is for', async () => {
  const clusters = Map.groupBy(
    contracts.filter(({ kubeconfig }) => kubeconfig),
    ({ system, prefix = system, base = '' }) => prefix + base,
  );
  assert.notEqual(clusters.size, 0);
  for (const [place, ofCluster] of clusters) {
    const [{ kubeconfig, simulators, base = '' } = assert.fail()] = ofCluster;
    await using landscape = await startLandscape({ systems: simulators });
    const served = await kindsOf((await kubeconfig?.(landscape)) ?? assert.fail());
    const asked = (await Promise.all(ofCluster.map(endpointsOf)))
      .flat()
      .flatMap((endpoint) => kindIn(endpoint.split(' ')[1]?.slice(base.length) ?? '') ?? []);
    const others = ofCluster.flatMap(({ others = {} }) =>
      Object.keys(others).flatMap((other) => /^kind (.*)$/.exec(other)?.[1] ?? []),
    );
    assert.deepEqual(
      served.filter((kind) => !asked.includes(kind) && !others.includes(kind)),
      [],
      `${place}: nobody asks for these`,
    );
    assert.deepEqual(
      others.filter((kind) => !served.includes(kind) || asked.includes(kind)),
      [],
      `${place}: said to be there for something else`,
    );
  }
});

test('an endpoint is served by the route that leaves least open', () => {
  const routes = ['GET /a/{x}', 'GET /a/b', 'GET /r/{shoot}/*', 'GET /*'];
  assert.equal(routeFor('GET /a/{id}', routes), 'GET /a/{x}');
  assert.equal(routeFor('GET /a/b', routes), 'GET /a/b');
  assert.equal(routeFor('GET /r/{name}/api/v1', ['GET /r/{shoot}/*']), 'GET /r/{shoot}/*');
  assert.equal(routeFor('GET /s/{name}/api/v1', ['GET /r/{shoot}/*']), undefined);
  assert.equal(routeFor('GET /a/b?Action=List', routes), 'GET /a/b');
  assert.equal(routeFor('PUT /a/b', routes), undefined);
});

/** What catches all other paths answers any method, and nobody needs them all. */
const isNoRest = (route: string) => !route.endsWith('*');

/** 'EdpClient' of 'edpClient', 'RuntimeCluster' of 'runtimeClusters', 'KymaInstaller' of 'kymaInstallerOn'. */
const typeNamed = (maker: string) =>
  (maker.charAt(0).toUpperCase() + maker.slice(1)).replace(/(?:(?<=[^s])s|On)$/, '');

/** All of them, those of its parts by their path. */
const functionsOf = (client: object): string[] =>
  Object.entries(client).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return name;
    if (typeof value !== 'object' || value === null) return [];
    return functionsOf(value).map((each) => `${name}.${each}`);
  });

/** With those for tokens, as they are in the landscape. */
async function endpointsOf(contract: SystemContract): Promise<string[]> {
  const { calls } = await callsOf(contract);
  const endpoints = Object.values(calls).flatMap((call) => call.endpoints);
  return [...endpoints, ...(contract.token ? [contract.token] : [])].map((endpoint) =>
    endpoint.replace(' ', ` ${contract.base ?? ''}`),
  );
}
