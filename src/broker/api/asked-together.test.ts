import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedTogether } from './asked-together.ts';

/** Answers when it is told to. */
function answering() {
  const asked: (readonly string[])[] = [];
  const answers: PromiseWithResolvers<ReadonlyMap<string, string>>[] = [];
  const ask = askedTogether<string>((keys) => {
    asked.push(keys);
    const answer = Promise.withResolvers<ReadonlyMap<string, string>>();
    answers.push(answer);
    return answer.promise;
  });
  return { ask, asked, answers };
}

test('the first question is asked at once, those that come meanwhile in one go after it', async () => {
  const { ask, asked, answers } = answering();
  const first = ask('a');
  const others = [ask('a'), ask('b'), ask('b'), ask('c')];
  assert.deepEqual(asked, [['a']]);
  answers[0]?.resolve(new Map([['a', 'old']]));
  assert.equal(await first, 'old');
  assert.deepEqual(asked, [['a'], ['a', 'b', 'c']]);
  answers[1]?.resolve(
    new Map([
      ['a', 'new'],
      ['b', 'B'],
    ]),
  );
  assert.deepEqual(await Promise.all(others), ['new', 'B', 'B', undefined]);
});

test('a failure is told to those whose question it was, and the next ones are asked again', async () => {
  const { ask, answers } = answering();
  const failed = assert.rejects(ask('a'), /gone/);
  const next = ask('b');
  answers[0]?.reject(new Error('gone'));
  await failed;
  answers[1]?.resolve(new Map([['b', 'B']]));
  assert.equal(await next, 'B');
  const last = ask('c');
  answers[2]?.resolve(new Map([['c', 'C']]));
  assert.equal(await last, 'C');
});
