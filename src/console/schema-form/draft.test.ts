import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../api-types.ts';
import { draftOf, readDraft, withoutEntry, type Draft } from './draft.ts';
import { allFieldsOf, labelOf } from './fields.ts';
import { problemsNamedIn } from './problems.ts';

const schema: JsonSchema = {
  type: 'object',
  _controlsOrder: ['name', 'region'],
  required: ['name'],
  properties: {
    autoScalerMax: { type: 'integer', minimum: 3, maximum: 80, default: 20 },
    region: { type: 'string', enum: ['eastus', 'westeurope'] },
    name: { type: 'string', minLength: 1, pattern: '^[a-z-]*$', title: 'Cluster Name' },
    administrators: { type: 'array', items: { type: 'string', minLength: 3 } },
    oidc: {
      type: 'object',
      required: ['clientID', 'issuerURL'],
      properties: { clientID: { type: 'string' }, issuerURL: { type: 'string' } },
    },
  },
  patternProperties: {
    '^maxSurge$': { type: 'integer', minimum: 0 },
    '^components$': { type: 'array', items: { type: 'string', enum: ['kiali', 'tracing'] } },
    '^modules$': {
      anyOf: [
        { type: 'object', required: ['default'], properties: { default: { type: 'boolean' } } },
        {
          type: 'object',
          required: ['list'],
          properties: {
            list: {
              type: 'array',
              items: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string' }, channel: { type: 'string' } },
              },
            },
            channel: { type: 'string', enum: ['regular', 'fast'] },
          },
        },
      ],
    },
  },
};

test('fields come in the order that the schema wants, then the others, then those that it only lets pass', () => {
  assert.deepEqual(
    allFieldsOf(schema).map(([name]) => name),
    'name region autoScalerMax administrators oidc maxSurge components modules'.split(' '),
  );
});

test('a field is called by its title, or by its name in words', () => {
  assert.equal(labelOf('name', { title: 'Cluster Name' }), 'Cluster Name');
  assert.equal(labelOf('autoScalerMax', {}), 'Auto Scaler Max');
  assert.equal(labelOf('licence_type', {}), 'Licence type');
});

test('what is typed becomes parameters of the right types, and what is left empty is not sent', () => {
  const draft = { name: ' orders ', autoScalerMax: '7', administrators: 'ann@x\n\nbob@x, eve@x' };
  assert.deepEqual(readDraft(schema, draft), {
    parameters: { name: 'orders', autoScalerMax: 7, administrators: ['ann@x', 'bob@x', 'eve@x'] },
    problems: {},
  });
});

for (const [what, draft, path, problem] of [
  ['a field that must be there is empty', {}, 'name', /needed/],
  ['a text does not match its pattern', { name: 'A B' }, 'name', /must match/],
  ['a number is none', { name: 'a', autoScalerMax: 'many' }, 'autoScalerMax', /whole number/],
  ['a number is not whole', { name: 'a', autoScalerMax: '3.5' }, 'autoScalerMax', /whole number/],
  ['a number is too small', { name: 'a', autoScalerMax: '2' }, 'autoScalerMax', /at least 3/],
  ['a number is too large', { name: 'a', autoScalerMax: '81' }, 'autoScalerMax', /at most 80/],
  ['a value is not offered', { name: 'a', region: 'moon' }, 'region', /eastus, westeurope/],
  ['an entry is too short', { name: 'a', administrators: 'ab' }, 'administrators', /ab: .*3/],
  ['an entry is not offered', { name: 'a', components: 'istio' }, 'components', /kiali, tracing/],
  ['a form lacks what it needs', { name: 'a', modules: '1' }, 'modules.default', /needed/],
  [
    'an entry with fields lacks one',
    { name: 'a', modules: '2', 'modules.list': '1' },
    'modules.list.0.name',
    /needed/,
  ],
  ['half of an object is there', { name: 'a', 'oidc.clientID': 'x' }, 'oidc.issuerURL', /needed/],
] as const satisfies readonly (readonly [string, Draft, string, RegExp])[])
  test(`it is said beside the field if ${what}`, () => {
    const { problems } = readDraft(schema, draft);
    assert.deepEqual(Object.keys(problems), [path]);
    assert.match(problems[path] ?? '', problem);
  });

for (const parameters of [
  {
    name: 'orders',
    autoScalerMax: 7,
    administrators: ['ann@x', 'bob@x'],
    oidc: { clientID: 'kyma', issuerURL: 'https://issuer' },
  },
  { name: 'orders', maxSurge: 0, components: ['kiali'], modules: { default: false } },
  { name: 'orders', modules: { list: [] } },
  { name: 'orders', modules: { list: [{ name: 'a', channel: 'fast' }, { name: 'b' }] } },
])
  test(`parameters of a runtime come back as they were typed: ${Object.keys(parameters).join(', ')}`, () => {
    assert.deepEqual(readDraft(schema, draftOf(schema, parameters)), { parameters, problems: {} });
  });

test('an entry is taken out, and those behind it move up', () => {
  const draft = draftOf(schema, {
    name: 'orders',
    modules: { list: [{ name: 'a', channel: 'fast' }, { name: 'b' }, { name: 'c' }] },
  });
  assert.deepEqual(readDraft(schema, withoutEntry(draft, 'modules.list', 0)).parameters, {
    name: 'orders',
    modules: { list: [{ name: 'b' }, { name: 'c' }] },
  });
});

for (const [message, problems] of [
  [
    'while validating input parameters: autoScalerMax: Must be less than or equal to 80 (got 90)',
    { autoScalerMax: 'Must be less than or equal to 80 (got 90)' },
  ],
  [
    'maxSurge: Must be 0 or more (got -1), oidc.clientID: must be there, components.0: is unknown (got "x")',
    {
      maxSurge: 'Must be 0 or more (got -1)',
      'oidc.clientID': 'must be there',
      components: 'is unknown (got "x")',
    },
  ],
  [
    'AutoScalerMax 3 should be larger than AutoScalerMin 9',
    { autoScalerMax: 'AutoScalerMax 3 should be larger than AutoScalerMin 9' },
  ],
  ['issuerURL must have https scheme', { 'oidc.issuerURL': 'issuerURL must have https scheme' }],
  ['no such plan', {}],
] as const)
  test(`a refusal of the broker is shown beside the fields that it names: ${message}`, () => {
    assert.deepEqual(problemsNamedIn(message, schema), problems);
  });
