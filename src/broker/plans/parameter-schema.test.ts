import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { z } from 'zod';
import { parameterNames } from './catalog-schema.ts';
import { samples, samplesElsewhere } from './parameter-samples.ts';
import { acceptedParameters, parameterSchema, publishedSchema } from './parameter-schema.ts';
import { planNamed, plans, platform, platformIn, smallestOrder } from './testing.ts';

/** Whoever has nothing but the published text checks parameters like this. */
function published(schema: object) {
  // In JSON Schema a default is a note for readers; this one would fill in what is missing.
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'default' && typeof value !== 'object' ? undefined : value,
  );
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
}

/** Each sample by itself, on top of what the plan requires, and strange ones. */
function inputsFor(plan: string, request: 'create' | 'update'): unknown[] {
  const base = request === 'create' ? smallestOrder(plan) : {};
  const elsewhere = Object.values(samplesElsewhere);
  const values = parameterNames.flatMap((name) =>
    [samples[name], ...elsewhere.map((more) => more[name])].flatMap((each) =>
      [...(each?.good ?? []), ...(each?.bad ?? [])].map((value) => ({ ...base, [name]: value })),
    ),
  );
  return [...values, {}, base, { ...base, stranger: 1 }, { ...base, Name: 'a' }, null, [], 'x', 1];
}

for (const plan of plans.enabled) {
  for (const request of ['create', 'update'] as const) {
    for (const withAdditional of [false, true]) {
      test(`the published schema takes what the broker takes: ${request} ${plan.name}${withAdditional ? ', all shown' : ''}`, () => {
        for (const region of ['cf-eu10', 'cf-eu20', 'cf-ch20']) {
          const asked = { plan, request, platform: platformIn(region) };
          const ours = parameterSchema(asked);
          const theirs = published(publishedSchema(asked, withAdditional));
          const verdicts = inputsFor(plan.name, request).map((input) => {
            const taken = ours.safeParse(input).success;
            assert.equal(theirs.safeParse(input).success, taken, inspect(input, { depth: 9 }));
            return taken;
          });
          assert.ok(verdicts.includes(true) && verdicts.includes(false));
        }
      });
    }
  }
}

test('an empty oidc object changes nothing and is taken, though forms ask for more', () => {
  const asked = { plan: planNamed('aws'), request: 'update', platform } as const;
  assert.ok(parameterSchema(asked).safeParse({ oidc: {} }).success);
  assert.ok(!published(publishedSchema(asked, true)).safeParse({ oidc: {} }).success);
});

test('hidden parameters have no field in a form, and pass all the same', () => {
  const asked = { plan: planNamed('trial'), request: 'create', platform } as const;
  const { properties, patternProperties } = publishedSchema(asked, false) as {
    properties: object;
    patternProperties: object;
  };
  assert.deepEqual(Object.keys(properties), ['name']);
  const names = [...Object.keys(properties), ...Object.keys(patternProperties)];
  assert.deepEqual(
    names.map((name) => name.replace(/^\^|\$$/g, '')).toSorted(),
    acceptedParameters(asked).toSorted(),
  );
});

test('schemas are made once', () => {
  const asked = { plan: planNamed('aws'), request: 'create', platform } as const;
  const elsewhere = { ...asked, platform: platformIn('cf-us10') };
  assert.equal(parameterSchema(asked), parameterSchema(elsewhere));
  assert.equal(publishedSchema(asked, true), publishedSchema(elsewhere, true));
  assert.notEqual(publishedSchema(asked, true), publishedSchema(asked, false));
  assert.notEqual(
    parameterSchema(asked),
    parameterSchema({ ...asked, platform: platformIn('cf-ch20') }),
  );
});
