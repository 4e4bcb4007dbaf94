import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Definitions, done, operation } from './index.ts';
import { explain, type Explanation } from './explanation.ts';
import type { OperationRow } from './operations-table.ts';

const definitions = new Definitions([
  operation('provisioning')
    .stage('create_runtime', { name: 'Create_Runtime', run: async () => done() })
    .stage('check_runtime', {
      name: 'Check_Runtime',
      owner: 'team-shoot',
      run: async () => done(),
    }),
]);

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const now = at('12:00:00');

/** Accepted a minute ago, and nothing has happened since. */
const accepted: OperationRow = {
  id: '7e9b0c4e-3a6f-4d3b-9d55-7a5a7d0a1c11',
  number: '1',
  type: 'provisioning',
  subject: 'instance-1',
  account: 'a-1',
  state: 'in progress',
  description: 'Operation created',
  facts: {},
  finished_stages: [],
  progress: {},
  not_completed: [],
  history_length: 0,
  error: null,
  fingerprint: null,
  skips: {},
  stage: null,
  step: null,
  attempt: null,
  because: null,
  system: null,
  waiting_since: null,
  deadline: null,
  cancel_because: null,
  claimed_by: null,
  epoch: 0,
  losses: 0,
  due_at: at('11:59:00'),
  created_at: at('11:59:00'),
  started_at: at('11:59:00'),
  updated_at: at('11:59:00'),
  ended_at: null,
};
const atStep = { stage: 'check_runtime', step: 'Check_Runtime', attempt: 4 };
const stepExplained = { ...atStep, owner: 'team-shoot' };
const waiting = {
  ...atStep,
  because: 'Shoot is at 35 %',
  system: 'gardener',
  waiting_since: at('11:50:00'),
  deadline: at('17:50:00'),
  due_at: at('12:00:30'),
};
const waitExplained = {
  ...stepExplained,
  because: 'Shoot is at 35 %',
  waitingFor: 'gardener',
  system: 'gardener',
  since: at('11:50:00'),
  deadline: at('17:50:00'),
};
const atWork = { class: 'system', action: 'nothing: gardener is at work' } as const;
const ended = { due_at: null, ended_at: at('11:59:59') };
const unreachable = {
  class: 'system',
  message: 'no answer',
  system: 'edp',
  reason: 'unreachable',
} as const;
const failure = { class: 'user', message: 'quota exceeded', step: 'Check_Runtime' } as const;

for (const [what, row, expected] of [
  [
    'a pending operation is queued behind another one of its subject',
    { state: 'pending', due_at: null, started_at: null },
    {
      state: 'pending',
      activity: 'queued behind another operation',
      summary: 'waits until the operation before it on instance-1 has ended',
      action: 'nothing: it begins by itself',
    },
  ],
  [
    'an operation that nobody has taken up is due',
    {},
    {
      state: 'in progress',
      activity: 'due',
      summary: 'will go on as soon as a worker is free',
    },
  ],
  [
    'an operation whose pause is over is due, and says what it waited for',
    { ...waiting, due_at: now },
    {
      state: 'in progress',
      activity: 'due',
      summary: 'will go on with Check_Runtime as soon as a worker is free: Shoot is at 35 %',
      ...waitExplained,
    },
  ],
  [
    'an operation that a replica holds is running',
    { claimed_by: 3 },
    { state: 'in progress', activity: 'running', summary: 'runs' },
  ],
  [
    'a running operation says at which step and in which attempt, and whom to ask',
    { claimed_by: 3, ...atStep },
    {
      state: 'in progress',
      activity: 'running',
      summary: 'runs Check_Runtime',
      ...stepExplained,
    },
  ],
  [
    'a running operation that is to end says why',
    { claimed_by: 3, ...atStep, cancel_because: 'the runtime is being removed' },
    {
      state: 'in progress',
      activity: 'running',
      summary: 'is being canceled: the runtime is being removed',
      canceling: 'the runtime is being removed',
      ...stepExplained,
    },
  ],
  [
    'a waiting operation says for which system, why, since when and until when',
    waiting,
    {
      state: 'in progress',
      activity: 'waiting',
      summary: 'Check_Runtime waits for gardener: Shoot is at 35 %',
      nextTryAt: at('12:00:30'),
      ...atWork,
      ...waitExplained,
    },
  ],
  [
    'a waiting operation names no system if it waits for none',
    { ...atStep, because: 'not yet', due_at: at('12:00:30') },
    {
      state: 'in progress',
      activity: 'waiting',
      summary: 'Check_Runtime waits: not yet',
      because: 'not yet',
      nextTryAt: at('12:00:30'),
      action: 'nothing: it is at work',
      ...stepExplained,
    },
  ],
  [
    'a waiting operation lists the steps that it has left behind',
    { ...waiting, not_completed: ['EDP_Registration'] },
    {
      state: 'in progress',
      activity: 'waiting',
      summary: 'Check_Runtime waits for gardener: Shoot is at 35 %',
      nextTryAt: at('12:00:30'),
      notCompleted: ['EDP_Registration'],
      ...atWork,
      ...waitExplained,
    },
  ],
  [
    'a step without an owner names nobody to ask',
    { claimed_by: 3, stage: 'create_runtime', step: 'Create_Runtime', attempt: 1 },
    {
      state: 'in progress',
      activity: 'running',
      summary: 'runs Create_Runtime',
      stage: 'create_runtime',
      step: 'Create_Runtime',
      attempt: 1,
    },
  ],
  [
    'a step that is no longer defined names nobody to ask',
    { claimed_by: 3, ...atStep, step: 'Bygone' },
    {
      state: 'in progress',
      activity: 'running',
      summary: 'runs Bygone',
      ...atStep,
      step: 'Bygone',
    },
  ],
  [
    'an operation that is no longer defined is explained all the same',
    { claimed_by: 3, ...atStep, type: 'bygone' },
    { state: 'in progress', activity: 'running', summary: 'runs Check_Runtime', ...atStep },
  ],
  [
    'an operation that succeeded says so, and what was not completed',
    {
      state: 'succeeded',
      description: 'succeeded, but not completed: EDP_Registration',
      not_completed: ['EDP_Registration'],
      ...ended,
    },
    {
      state: 'succeeded',
      activity: 'ended',
      summary: 'succeeded, but not completed: EDP_Registration',
      notCompleted: ['EDP_Registration'],
    },
  ],
  [
    'an operation that failed says why, and where',
    { state: 'failed', description: 'quota exceeded', error: failure, ...atStep, ...ended },
    {
      state: 'failed',
      activity: 'ended',
      summary: 'quota exceeded',
      failure,
      class: 'user',
      action: 'change what the message names, and ask again',
      ...stepExplained,
    },
  ],
  [
    'an operation that was canceled says why, and is no longer being canceled',
    {
      state: 'canceled',
      description: 'canceled: asked to',
      cancel_because: 'asked to',
      ...ended,
    },
    {
      state: 'canceled',
      activity: 'ended',
      summary: 'canceled: asked to',
      action: 'nothing: it was to end',
    },
  ],
  [
    'an operation that is tried again says what its last try met, and that nobody need do anything yet',
    { ...waiting, error: unreachable },
    {
      state: 'in progress',
      activity: 'waiting',
      summary: 'Check_Runtime waits for gardener: Shoot is at 35 %',
      nextTryAt: at('12:00:30'),
      failure: unreachable,
      ...waitExplained,
      system: 'edp',
      class: 'system',
      action:
        'nothing for now, it is tried again by itself; if it lasts, see whether edp can be reached from here',
    },
  ],
  [
    'a step that waits for very long is worth a question',
    { ...waiting, waiting_since: at('10:00:00') },
    {
      state: 'in progress',
      activity: 'waiting',
      summary: 'Check_Runtime waits for gardener: Shoot is at 35 %',
      nextTryAt: at('12:00:30'),
      ...waitExplained,
      since: at('10:00:00'),
      class: 'system',
      action: 'ask the owners of gardener why it takes so long',
    },
  ],
] as const satisfies readonly (readonly [string, Partial<OperationRow>, Explanation])[]) {
  test(what, () => {
    assert.deepEqual(explain({ ...accepted, ...row }, definitions, now), expected);
  });
}

test('a waiting operation is due from the very moment on for which it was put off', () => {
  const activityAt = (time: string) =>
    explain({ ...accepted, ...waiting }, definitions, at(time)).activity;
  assert.deepEqual(
    [activityAt('12:00:29.999'), activityAt('12:00:30'), activityAt('12:00:31')],
    ['waiting', 'due', 'due'],
  );
});

test('an operation that was put off before its first step says so in a whole sentence', () => {
  const { summary } = explain({ ...accepted, due_at: at('12:01:00') }, definitions, now);
  assert.match(summary, /^\S+ \S+/);
});

test('an operation that is to be canceled says so also while no worker is free', () => {
  const row = { ...accepted, ...atStep, cancel_because: 'asked to' }; // its replica has died
  assert.equal(explain(row, definitions, now).summary, 'is being canceled: asked to');
});
