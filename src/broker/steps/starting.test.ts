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

test('a runtime does not begin beside one that the instance still has', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ step }) => step === 'Check_Runtime');
  await world.engine.cancel(operationId, 'the test wants it so');
  const order = { plan: 'azure', hasBtpCredentials: false };
  const { id } = await world.engine.start('provision', instanceId, order);
  const { error } = await world.pass(id);
  assert.deepEqual([error?.step, error?.reason], ['Starting', 'former_runtime_left']);
});
