import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';

test('an operation whose instance is gone when its turn has come fails, and says so', async () => {
  await using world = await startBroker();
  const order = { plan: 'azure', hasBtpCredentials: false };
  const { id } = await world.engine.start('provision', 'nobody', order);
  const { error } = await world.pass(id);
  assert.equal(error?.step, 'Starting');
  assert.equal(error.reason, 'instance_gone');
});
