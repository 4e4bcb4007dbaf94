import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noWork, testWorld } from './testing.ts';
import type { Advance } from './claims.ts';
import { GroupCommit } from './group-commit.ts';
import { operation } from './operation.ts';

const advanceOf = (id: string, epoch: number, step: string): Advance => ({
  id,
  epoch,
  replica: step,
  facts: {},
  finished_stages: [],
  progress: {},
  not_completed: [],
  history_length: 1,
  history: [],
  stage: 'one',
  step,
  attempt: 1,
  kind: 'keep',
});

test('of two claims of one operation in one process, only the valid one is told that it was stored', async () => {
  await using world = await testWorld([operation('sample').stage('one', noWork)]);
  const { id, epoch } = await world.engine.start('sample', 's1', {});
  const commit = new GroupCommit(world.database, () => 0);
  const [late, valid, other] = await Promise.all([
    commit.save(advanceOf(id, epoch - 1, 'Late')),
    commit.save(advanceOf(id, epoch, 'Valid')),
    commit.save(advanceOf(id, epoch - 1, 'Later')),
  ]);
  assert.equal(late, 'fenced');
  assert.deepEqual(valid, { cancelBecause: null, skips: {} });
  assert.equal(other, 'fenced');
  assert.equal((await world.engine.get(id))?.step, 'Valid');
});
