import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from './testing.ts';

test('what a catalog offers depends on the platform that asks, not on who asked before', async () => {
  await using world = await startApi();
  const regionsOf = async (region: string, plan: string) => {
    const { body } = await world.catalog({ prefix: `/oauth/${region}` });
    const [service] = body['services'] as readonly [{ plans: readonly Plan[] }]; // as the specification says
    const found = service.plans.find(({ name }) => name === plan);
    return found?.schemas.service_instance.create.parameters.properties.region?.enum;
  };
  const first = await regionsOf('cf-eu20', 'azure');
  assert.ok(first && first.length > 1);
  assert.deepEqual(await regionsOf('cf-ch20', 'azure'), ['switzerlandnorth']);
  assert.deepEqual(await regionsOf('cf-eu11', 'aws'), ['eu-central-1']);
  assert.notDeepEqual(await regionsOf('cf-eu10', 'free'), await regionsOf('cf-eu20', 'free'));
  assert.deepEqual(await regionsOf('cf-us20', 'azure'), first);
});

type Plan = {
  readonly name: string;
  readonly schemas: {
    readonly service_instance: {
      readonly create: {
        readonly parameters: {
          readonly properties: { readonly region?: { readonly enum: readonly string[] } };
        };
      };
    };
  };
};
