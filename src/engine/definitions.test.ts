import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours } from '#time';
import { condition, DefinitionError, Definitions, done, type Addition } from './index.ts';
import { Operation, registered, type AnyStep } from './operation.ts';

const run = async () => done();
const step = (name: string, more: Partial<AnyStep> = {}): AnyStep => ({ name, run, ...more });

/** Made without `operation()`: the compiler would refuse most of the mistakes below. */
const defined = (type: string, ...stages: [name: string, ...steps: AnyStep[]][]) =>
  new Operation({
    type,
    timeLimit: hours(24),
    input: ['plan'],
    stages: stages.map(([name, ...steps]) => ({
      name,
      steps: steps.map((each, index) => registered(each, each.weight ?? (index + 1) * 10)),
    })),
  });

const refusal = (message: string) => ({ name: 'DefinitionError', message });

for (const [mistake, operations, message] of [
  [
    'an operation that is defined twice',
    [defined('sample', ['one', step('A')]), defined('sample', ['two', step('B')])],
    `operation 'sample' is defined twice`,
  ],
  ['an operation without a name', [defined('', ['one', step('A')])], 'an operation has no name'],
  ['an operation without stages', [defined('sample')], `operation 'sample' has no stages`],
  [
    'a stage without a name',
    [defined('sample', ['', step('A')])],
    `operation 'sample' has a stage without a name`,
  ],
  [
    'two stages of one name',
    [defined('sample', ['one', step('A')], ['two', step('B')], ['one', step('C')])],
    `operation 'sample' has two stages named 'one'`,
  ],
  [
    'a stage without steps',
    [defined('sample', ['one', step('A')], ['two'])],
    `stage 'two' of operation 'sample' has no steps`,
  ],
  [
    'a step without a name',
    [defined('sample', ['one', step('A'), step('')])],
    `stage 'one' of operation 'sample' has a step without a name`,
  ],
  [
    'two steps of one name in a stage',
    [defined('sample', ['one', step('A'), step('A')])],
    `step 'A' in stage 'one' of operation 'sample' has the name of a step in stage 'one'; names are unique in an operation`,
  ],
  [
    'two steps of one name in different stages',
    [defined('sample', ['one', step('A')], ['two', step('B'), step('A')])],
    `step 'A' in stage 'two' of operation 'sample' has the name of a step in stage 'one'; names are unique in an operation`,
  ],
  ...[0, -1, 1.5, NaN].map(
    (weight) =>
      [
        `the weight ${weight}`,
        [defined('sample', ['one', step('A', { weight })])],
        `step 'A' in stage 'one' of operation 'sample': weight ${weight} is not allowed; a weight is a whole number of at least 1`,
      ] as const,
  ),
  [
    'weights that are out of order',
    [defined('sample', ['one', step('A', { weight: 7 }), step('B', { weight: 6 })])],
    `step 'B' in stage 'one' of operation 'sample' has weight 6, below 7 of the step before it`,
  ],
  [
    'a step that needs a fact which nobody gives',
    [
      defined(
        'sample',
        ['one', step('A', { gives: ['region'] })],
        ['two', step('B', { needs: ['plan', 'region', 'runtimeId'] })],
      ),
    ],
    `step 'B' in stage 'two' of operation 'sample' needs the fact 'runtimeId', which no earlier step gives; known there are 'plan', 'region'`,
  ],
  [
    'a step that needs what only a later step gives',
    [defined('sample', ['one', step('A', { needs: ['late'] }), step('B', { gives: ['late'] })])],
    `step 'A' in stage 'one' of operation 'sample' needs the fact 'late', which no earlier step gives; known there are 'plan'`,
  ],
] as const) {
  test(`definitions refuse ${mistake}, and say where`, () => {
    assert.throws(() => new Definitions(operations), refusal(message));
  });
}

test('refusals are DefinitionErrors, to be told from a bug in the engine', () => {
  assert.throws(() => new Definitions([defined('sample')]), DefinitionError);
});

test('operations are found by type, and keep the order in which they were given', () => {
  const provisioning = defined('provisioning', ['one', step('A')]);
  const update = defined('update', ['one', step('A')]);
  const definitions = new Definitions([provisioning, update]);
  assert.deepEqual(definitions.types, ['provisioning', 'update']);
  assert.equal(definitions.get('update'), update.definition);
});

test('an unknown operation is refused with the names of those that there are', () => {
  const definitions = new Definitions([
    defined('provisioning', ['one', step('A')]),
    defined('update', ['one', step('A')]),
  ]);
  assert.throws(
    () => definitions.get('updat'),
    refusal(`unknown operation 'updat'; known are 'provisioning', 'update'`),
  );
  assert.throws(
    () => new Definitions([]).get('update'),
    refusal(`unknown operation 'update'; known are none`),
  );
});

test('weights may begin anew in each stage, be equal, and have gaps', () => {
  const definitions = new Definitions([
    defined(
      'sample',
      ['one', step('A', { weight: 5 }), step('B', { weight: 5 }), step('C', { weight: 500 })],
      ['two', step('D', { weight: 1 })],
    ),
  ]);
  assert.deepEqual(
    definitions.get('sample').stages.map(({ steps }) => steps.map(({ weight }) => weight)),
    [[5, 5, 500], [1]],
  );
});

/** Two stages; the steps of the first have the weights 10, 20 and 30. */
const extensible = () =>
  defined(
    'sample',
    ['one', step('A'), step('B', { gives: ['region'] }), step('C')],
    ['two', step('D')],
  );

const order = (definitions: Definitions) =>
  definitions.get('sample').stages.map(({ steps }) => steps.map(({ name }) => name));

const added = step('Added');
for (const [where, addition, first] of [
  ['before the first step', { before: 'A' }, ['Added', 'A', 'B', 'C']],
  ['before a named step', { before: 'B' }, ['A', 'Added', 'B', 'C']],
  ['after a named step', { after: 'B' }, ['A', 'B', 'Added', 'C']],
  ['after the last step', { after: 'C' }, ['A', 'B', 'C', 'Added']],
  ['in front, being the lightest', { weight: 1 }, ['Added', 'A', 'B', 'C']],
  ['between a lighter and a heavier one', { weight: 15 }, ['A', 'Added', 'B', 'C']],
  ['after one of the same weight', { weight: 20 }, ['A', 'B', 'Added', 'C']],
  ['at the end, being the heaviest', { weight: 31 }, ['A', 'B', 'C', 'Added']],
] as const) {
  test(`an added step is placed ${where}`, () => {
    const definitions = new Definitions([extensible()]);
    definitions.extend('sample', { stage: 'one', step: added, ...addition });
    assert.deepEqual(order(definitions), [first, ['D']]);
  });
}

test('steps that are added by weight stand in ascending order, equal ones as they came', () => {
  const definitions = new Definitions([extensible()]);
  for (const [name, weight] of [
    ['heavy', 25],
    ['light', 11],
    ['light too', 11],
    ['as B', 20],
    ['as B too', 20],
  ] as const) {
    definitions.extend('sample', { stage: 'one', step: step(name), weight });
  }
  assert.deepEqual(
    definitions.get('sample').stages[0]?.steps.map(({ name, weight }) => [name, weight]),
    [
      ['A', 10],
      ['light', 11],
      ['light too', 11],
      ['B', 20],
      ['as B', 20],
      ['as B too', 20],
      ['heavy', 25],
      ['C', 30],
    ],
  );
});

test('a step that is added beside another takes its weight, so that later additions by weight find their place', () => {
  const definitions = new Definitions([extensible()]);
  definitions.extend('sample', { stage: 'one', step: step('Beside'), after: 'B' });
  definitions.extend('sample', { stage: 'one', step: step('Later'), weight: 20 });
  assert.deepEqual(order(definitions)[0], ['A', 'B', 'Beside', 'Later', 'C']);
});

test('an added step counts with its weight in the addition, not with its own', () => {
  const definitions = new Definitions([extensible()]);
  definitions.extend('sample', { stage: 'one', step: step('X', { weight: 99 }), weight: 15 });
  definitions.extend('sample', { stage: 'one', step: step('Y', { weight: 99 }), before: 'A' });
  assert.deepEqual(order(definitions)[0], ['Y', 'A', 'X', 'B', 'C']);
});

test('a step may be added beside one that was added before', () => {
  const definitions = new Definitions([extensible()]);
  definitions.extend('sample', { stage: 'two', step: step('E'), after: 'D' });
  definitions.extend('sample', { stage: 'two', step: step('F'), after: 'E' });
  assert.deepEqual(order(definitions)[1], ['D', 'E', 'F']);
});

test('the definition holds the added step itself: its work, its policy and its facts', () => {
  const definitions = new Definitions([extensible()]);
  const whole = step('Whole', {
    run: async () => done(),
    owner: 'team-x',
    retry: { attempts: 3 },
    needs: ['plan', 'region'],
    gives: ['extra'],
  });
  definitions.extend('sample', { stage: 'one', step: whole, after: 'B' });
  definitions.extend('sample', { stage: 'two', step: step('Y', { needs: ['extra'] }), after: 'D' });
  assert.deepEqual(definitions.get('sample').stages[0]?.steps[2], { ...whole, weight: 20 });
  assert.equal(definitions.get('sample').stages[0]?.steps[2]?.run, whole.run);
});

test('an addition may bring a condition for its step', () => {
  const definitions = new Definitions([extensible()]);
  const trial = condition<{ plan: string }>('the plan is trial', ({ plan }) => plan === 'trial');
  definitions.extend('sample', { stage: 'one', step: added, after: 'A', when: trial });
  const placed = definitions.get('sample').stages[0]?.steps[1];
  assert.deepEqual([placed?.name, placed?.conditions], ['Added', [trial]]);
  assert.equal(added.conditions, undefined);
});

test('a step that is added keeps its own conditions besides that of the addition', () => {
  const definitions = new Definitions([extensible()]);
  const [own, other] = [condition('always', () => true), condition('never', () => false)];
  definitions.extend('sample', {
    stage: 'one',
    step: step('X', { conditions: [own] }),
    weight: 10,
  });
  definitions.extend('sample', {
    stage: 'one',
    step: step('Y', { conditions: [own] }),
    weight: 10,
    when: other,
  });
  const [, x, y] = definitions.get('sample').stages[0]?.steps ?? [];
  assert.deepEqual([x?.conditions, y?.conditions], [[own], [other, own]]);
});

test('an extension touches neither the operation, nor what was read before, nor other definitions', () => {
  const original = extensible();
  const definitions = new Definitions([original]);
  const others = new Definitions([original]);
  const before = definitions.get('sample');
  definitions.extend('sample', { stage: 'one', step: added, before: 'A' });
  assert.deepEqual(original.definition, extensible().definition);
  assert.equal(before, original.definition);
  assert.equal(others.get('sample'), original.definition);
  assert.notEqual(definitions.get('sample'), original.definition);
  assert.deepEqual(order(definitions)[0], ['Added', 'A', 'B', 'C']);
});

for (const [mistake, type, addition, message] of [
  [
    'to an unknown operation',
    'sampel',
    { stage: 'one', step: added, before: 'A' },
    `unknown operation 'sampel'; known are 'sample'`,
  ],
  [
    'to an unknown stage',
    'sample',
    { stage: 'three', step: added, before: 'A' },
    `cannot add step 'Added' to operation 'sample': it has no stage 'three'; its stages are 'one', 'two'`,
  ],
  [
    'before an unknown step',
    'sample',
    { stage: 'one', step: added, before: 'Z' },
    `cannot add step 'Added' to operation 'sample': stage 'one' has no step 'Z'; its steps are 'A', 'B', 'C'`,
  ],
  [
    'after a step of another stage',
    'sample',
    { stage: 'two', step: added, after: 'A' },
    `cannot add step 'Added' to operation 'sample': stage 'two' has no step 'A'; its steps are 'D'`,
  ],
  ...[0, -1, 1.5].map(
    (weight) =>
      [
        `with the weight ${weight}`,
        'sample',
        { stage: 'one', step: added, weight },
        `cannot add step 'Added' to operation 'sample': weight ${weight} is not allowed; a weight is a whole number of at least 1`,
      ] as const,
  ),
  [
    'under a name that another step of its stage has',
    'sample',
    { stage: 'one', step: step('A'), after: 'B' },
    `step 'A' in stage 'one' of operation 'sample' has the name of a step in stage 'one'; names are unique in an operation`,
  ],
  [
    'under a name that a step of another stage has',
    'sample',
    { stage: 'one', step: step('D'), after: 'A' },
    `step 'D' in stage 'two' of operation 'sample' has the name of a step in stage 'one'; names are unique in an operation`,
  ],
  [
    'where a fact that it needs is not given yet',
    'sample',
    { stage: 'one', step: step('Early', { needs: ['plan', 'region'] }), before: 'B' },
    `step 'Early' in stage 'one' of operation 'sample' needs the fact 'region', which no earlier step gives; known there are 'plan'`,
  ],
] as const satisfies readonly (readonly [string, string, Addition, string])[]) {
  test(`a step that is added ${mistake} is refused, and everything stays as it was`, () => {
    const original = extensible();
    const definitions = new Definitions([original]);
    assert.throws(() => definitions.extend(type, addition), refusal(message));
    assert.equal(definitions.get('sample'), original.definition);
  });
}
