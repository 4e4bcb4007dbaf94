import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Definitions, done, operation, type Step } from '#engine';
import { InstancesTable } from '../tables/instances-table.ts';
import { testKeyring } from '../../engine/testing.ts';
import { testDatabase, type TestDatabase } from '../../database/testing.ts';
import { BadExtension, loadExtensions } from './load-extensions.ts';

let directory = '';
let database: TestDatabase | undefined;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'extensions-'));
  database = await testDatabase({ migrations: ['engine', 'broker'] });
});
after(async () => {
  await rm(directory, { recursive: true });
  await database?.[Symbol.asyncDispose]();
});

const first: Step<object, { kymaVersion: string }> = {
  name: 'First',
  gives: ['kymaVersion'],
  run: async () => done({ kymaVersion: '2.18.0' }),
};
const last: Step = { name: 'Last', run: async () => done() };

/** The steps after these modules were loaded, by their contents; with `by`, who has added them. */
async function stepsWith(
  modules: Readonly<Record<string, string>>,
  paths = Object.keys(modules),
  by = false,
) {
  for (const [name, text] of Object.entries(modules)) await writeFile(join(directory, name), text);
  const definitions = new Definitions([
    operation<{ plan: string }>('provision', { input: ['plan'] })
      .stage('create', first, last)
      .stage('check', { ...last, name: 'Check' }),
  ]);
  const services = {
    instances: new InstancesTable(testKeyring),
    database: database ?? assert.fail('there is no database'),
  };
  await loadExtensions(services, definitions, { paths, directory, environment: { WHO: 'me' } });
  const { stages } = definitions.get('provision');
  return stages.map(({ steps }) =>
    steps.map(({ name, addedBy }) => (by ? `${name} by ${addedBy ?? 'us'}` : name)),
  );
}

const adding = (addition: string, run = 'async () => kit.done()') =>
  `export default (kit) => kit.extend('provision', { stage: 'create', step: { name: 'Added', run: ${run} }, ${addition} });`;

test('a module adds its step where it says, and a later one stands beside it', async () => {
  assert.deepEqual(
    await stepsWith({
      'a.ts': adding(`before: 'Last'`),
      'b.ts': `export default async (kit) => kit.extend('provision', {
        stage: 'create', weight: 5, step: { name: kit.environment.WHO, run: async () => kit.done() } });`,
      'c.ts': `export default ({ extend, done }) => extend('provision', {
        stage: 'create', after: 'Added', step: { name: 'Third', needs: ['kymaVersion'], run: async () => done() } });`,
    }),
    [['me', 'First', 'Added', 'Third', 'Last'], ['Check']],
  );
});

test('a step that was added tells by which module', async () => {
  assert.deepEqual(await stepsWith({ 'who.ts': adding(`weight: 15`) }, ['who.ts'], true), [
    ['First by us', 'Added by who.ts', 'Last by us'],
    ['Check by us'],
  ]);
});

const step = (more: string) =>
  `export default (kit) => kit.extend('provision', { stage: 'create', after: 'First', step: { name: 'Added', run: async () => kit.done(), ${more} } });`;

for (const [what, text, why] of [
  [
    'no default export',
    'export const extension = 1;',
    'its default export is no function; it exports extension',
  ],
  ['nothing in it', 'export {};', 'its default export is no function; it exports nothing'],
  ['a mistake of syntax', 'export default (', /^it cannot be loaded: /],
  ['a missing import', `import './no-such-file.ts';`, /^it cannot be loaded: .*no-such-file/],
  [
    'an error of its own',
    `export default () => { throw new Error('WHO is missing'); };`,
    'WHO is missing',
  ],
  [
    'an unknown operation',
    `export default (kit) => kit.extend('provison', { stage: 'create', after: 'First', step: { name: 'Added', run: () => 1 } });`,
    `unknown operation 'provison'; known are 'provision'`,
  ],
  [
    'an unknown stage',
    `export default (kit) => kit.extend('provision', { stage: 'creat', after: 'First', step: { name: 'Added', run: () => 1 } });`,
    `cannot add step 'Added' to operation 'provision': it has no stage 'creat'; its stages are 'create', 'check'`,
  ],
  [
    'an unknown neighbour',
    adding(`after: 'Fist'`),
    `cannot add step 'Added' to operation 'provision': stage 'create' has no step 'Fist'; its steps are 'First', 'Last'`,
  ],
  [
    'the weight 0',
    adding('weight: 0'),
    `cannot add step 'Added' to operation 'provision': weight 0 is not allowed; a weight is a whole number of at least 1`,
  ],
  [
    'no place',
    adding(''),
    `cannot add step 'Added' to operation 'provision': give one of before, after, weight, not none`,
  ],
  [
    'two places',
    adding(`before: 'Last', weight: 3`),
    `cannot add step 'Added' to operation 'provision': give one of before, after, weight, not before and weight`,
  ],
  [
    'a word that is not known',
    adding(`befor: 'Last', weight: 3`),
    `cannot add step 'Added' to operation 'provision': 'befor' is not known; an addition has before, after, weight, stage, step, when`,
  ],
  [
    'nothing to run',
    adding('weight: 3', '1'),
    `cannot add step 'Added' to operation 'provision': its 'run' is not a function`,
  ],
  ['no name', step(`name: ''`), 'a step has no name'],
  [
    'a name that is taken',
    step(`name: 'Check'`),
    `step 'Check' in stage 'check' of operation 'provision' has the name of a step in stage 'create'; names are unique in an operation`,
  ],
  [
    'a fact that nobody gives',
    step(`needs: ['greeting']`),
    `step 'Added' in stage 'create' of operation 'provision' needs the fact 'greeting', which no earlier step gives; known there are 'plan', 'kymaVersion'`,
  ],
  [
    'a fact that another step gives',
    step(`gives: ['kymaVersion']`),
    `cannot add step 'Added' to operation 'provision': it gives the fact 'kymaVersion', which step 'First' gives already`,
  ],
  [
    'a fact of the request',
    step(`gives: ['plan']`),
    `cannot add step 'Added' to operation 'provision': it gives the fact 'plan', which the request gives`,
  ],
] as const) {
  test(`a module with ${what} stops the start, and is named`, async () => {
    const file = `with ${what}.ts`;
    await assert.rejects(stepsWith({ [file]: text }), (error: unknown) => {
      assert.ok(error instanceof BadExtension);
      const prefix = `extension ${file}: `;
      assert.ok(error.message.startsWith(prefix), error.message);
      const rest = error.message.slice(prefix.length);
      if (typeof why === 'string') assert.equal(rest, why);
      else assert.match(rest, why);
      return true;
    });
  });
}

test('a file that is not there, and one that is named twice, stop the start', async () => {
  await assert.rejects(stepsWith({}, ['./missing.ts']), {
    name: 'BadExtension',
    message: `extension ./missing.ts: there is no file ${join(directory, 'missing.ts')} that could be read`,
  });
  const twice = ['a.ts', 'a.ts'];
  await assert.rejects(
    stepsWith({ 'a.ts': adding('weight: 3') }, twice),
    /a\.ts: it is named twice/,
  );
});
