import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, MovableClock } from '#time';
import type { ClaimedOperation } from './claims.ts';
import { operation, wait } from './index.ts';
import { OperationRun } from './operation-run.ts';
import { silent, step } from './testing.ts';

const claimed: ClaimedOperation = {
  id: '00000000-0000-4000-8000-000000000001',
  type: 'sample',
  subject: 's1',
  facts: {},
  finished_stages: [],
  progress: {},
  not_completed: [],
  history_length: 0,
  cancel_because: null,
  skips: {},
  system: null,
  epoch: 1,
  age: 0,
  late: 0,
};

test('a clock that is moved while a wait is being stored does not prolong the wait', async () => {
  const clock = new MovableClock();
  const poll = step('Poll', async () => wait(hours(1), 'not yet'));
  const { definition } = operation('sample').stage('one', poll);
  const run = new OperationRun(claimed, {}, definition, {
    clock,
    log: silent,
    replica: 'test',
    runLimit: hours(1),
    pace: 1,
    leaseProven: async () => undefined,
    save: async () => {
      clock.advance(hours(1));
      return { cancelBecause: null, skips: {} };
    },
    seal: (facts) => facts,
    emit: () => undefined,
  });
  const dueAt = await run.untilItRests();
  assert.ok(
    typeof dueAt === 'number' && dueAt <= clock.monotonic(),
    `due in ${Number(dueAt) - clock.monotonic()} ms`,
  );
});
