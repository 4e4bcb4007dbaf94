import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inWords } from '#time';
import { startBroker } from '../testing.ts';
import { bind, expireBinding, unbind } from './bindings.ts';

test('the operations on bindings have these stages and steps, which try so often and so long', async () => {
  await using world = await startBroker();
  const all = [bind, unbind, expireBinding].map((make) => make(world.services).definition);
  assert.deepEqual(
    all.map(({ type, stages }) => [
      type,
      ...stages.map(({ name, steps }) =>
        steps
          .map(({ name: step, retry = {} }) => {
            const { every, upTo, within } = retry;
            return [name, step, ...[every, upTo, within].map((each) => each && inWords(each))];
          })
          .flat()
          .filter(Boolean)
          .join(', '),
      ),
    ]),
    [
      [
        'bind',
        'check_access, Check_Access, 5 s, 1 min, 30 min',
        'create_binding, Create_Binding, 5 s, 1 min, 30 min',
      ],
      [
        'unbind',
        'revoke_binding, Revoke_Binding, 5 s, 1 min, 1 h',
        'remove_binding, Remove_Binding',
      ],
      [
        'expire_binding',
        'await_expiry, Await_Expiry',
        'revoke_binding, Revoke_Binding, 1 min, 10 min',
        'remove_binding, Remove_Binding',
      ],
    ],
  );
});
