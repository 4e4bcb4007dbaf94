import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeFailure,
  isTemporary,
  retryAfter,
  RunTookTooLong,
  TimeLimitReached,
} from './failure.ts';

const error = (says: object = {}, message = 'it broke') => Object.assign(new Error(message), says);
const causedBy = (cause: unknown, says: object = {}) =>
  Object.assign(new Error('it broke', { cause }), says);
const loop = (says: object = {}) => {
  const first = error(says, 'first');
  const second = new Error('second', { cause: first });
  first.cause = second;
  return second;
};

for (const [what, thrown] of [
  ...`ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EAI_AGAIN ENETUNREACH EHOSTUNREACH ENOTFOUND
      UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_SOCKET`
    .split(/\s+/)
    .map((code) => [`the network's ${code}`, error({ code })] as const),
  ...['08000', '08006', '57P01', '57P02', '57P03', '40001', '40P01', '53300'].map(
    (code) => [`PostgreSQL's ${code}`, error({ code })] as const,
  ),
  ...[408, 409, 429, 500, 503, 599].map(
    (status) => [`status ${status}`, error({ status })] as const,
  ),
  ['a statusCode', error({ statusCode: 502 })],
  ['a status that is called code', error({ code: 503 })],
  ['an error that says so', error({ temporary: true })],
  ['an error that says so, whatever its status', error({ temporary: true, status: 400 })],
  ['what a temporary error has caused', causedBy(error({ code: 'ECONNRESET' }))],
  ['what it has caused further on', causedBy(causedBy(causedBy(error({ status: 503 }))))],
  ['what an error that says so has caused', causedBy(error({ temporary: true }), { status: 400 })],
  [
    'one temporary error among several',
    new AggregateError([error({ code: 'EACCES' }), error({ code: 'ECONNREFUSED' })]),
  ],
  [
    'what an aggregate of temporary errors has caused',
    causedBy(new AggregateError([causedBy(error({ code: 'ETIMEDOUT' }))])),
  ],
  ['an object that is no Error', { status: 503 }],
  ['a run that took too long', new RunTookTooLong('Step has been running for 5 min')],
  ['causes that lead back, where one of them is temporary', loop({ code: 'ECONNRESET' })],
] as const) {
  test(`another try may mend ${what}`, () => assert.equal(isTemporary(thrown), true));
}

for (const [what, thrown] of [
  ['an error of which nothing is known', error()],
  ...['ENOENT', 'EACCES', '23505', '42P01', '57014', '408', '5', 'constructor'].map(
    (code) => [`the code ${code}`, error({ code })] as const,
  ),
  ...[200, 400, 401, 403, 404, 410, 422, 499, 600, 1_000].map(
    (status) => [`status ${status}`, error({ status })] as const,
  ),
  ['a status that is no number', error({ status: '503' })],
  ['an error that says so', error({ temporary: false })],
  ['an error that says so, whatever its status', error({ temporary: false, status: 503 })],
  ['an error that says so, whatever its code', error({ temporary: false, code: 'ECONNRESET' })],
  [
    'an error that says so, whatever its cause says',
    causedBy(error({ temporary: true }), { temporary: false }),
  ],
  [
    'what an error that says so has caused, whatever its own status',
    causedBy(error({ temporary: false }), { status: 503 }),
  ],
  ['a word that is not true or false', error({ temporary: 'yes' })],
  ['the end of all tries', new TimeLimitReached('Step did not succeed within 5 min')],
  ['causes that lead back', loop()],
  ['a text', 'ECONNRESET'],
  ['a number', 503],
  ['null', null],
  ['nothing', undefined],
] as const) {
  test(`no other try can mend ${what}`, () => assert.equal(isTemporary(thrown), false));
}

for (const [sentence, thrown, expected] of [
  ['an error of which nothing is known is ours', error(), { class: 'us', message: 'it broke' }],
  [
    'an error that names a system is of that system',
    error({ system: 'edp' }),
    { class: 'system', message: 'it broke', system: 'edp' },
  ],
  [
    'an error may say that it is for the user to mend, and how',
    error({ failureClass: 'user', reason: 'err_quota', action: 'order more quota' }),
    { class: 'user', message: 'it broke', reason: 'err_quota', action: 'order more quota' },
  ],
  [
    'the class that an error names counts before the system that it names',
    error({ failureClass: 'us', system: 'edp' }),
    { class: 'us', message: 'it broke', system: 'edp' },
  ],
  [
    'a class that does not exist is not taken over',
    error({ failureClass: 'them' }),
    { class: 'us', message: 'it broke' },
  ],
  [
    'a code is the reason of an error that names none',
    error({ code: 'ECONNREFUSED' }),
    { class: 'us', message: 'it broke', reason: 'ECONNREFUSED' },
  ],
  [
    'the reason that an error names counts before its code',
    error({ code: 'ECONNREFUSED', reason: 'err_edp_away' }),
    { class: 'us', message: 'it broke', reason: 'err_edp_away' },
  ],
  [
    'a code that is a number is no reason',
    error({ code: 503 }),
    { class: 'us', message: 'it broke' },
  ],
  [
    'what an error does not say, its causes may; the message is its own',
    causedBy(causedBy(error({ system: 'edp', code: 'ECONNRESET' }, 'socket hang up')), {
      action: 'wait',
    }),
    { class: 'system', message: 'it broke', system: 'edp', reason: 'ECONNRESET', action: 'wait' },
  ],
  [
    'what an error says counts before what its cause says',
    causedBy(error({ system: 'gardener' }), { system: 'provisioner' }),
    { class: 'system', message: 'it broke', system: 'provisioner' },
  ],
  [
    'the first of several errors that names a system names it for all',
    new AggregateError([error(), error({ system: 'edp' })], 'nothing worked'),
    { class: 'system', message: 'nothing worked', system: 'edp' },
  ],
  [
    'empty words count as nothing said',
    causedBy(error({ system: 'edp' }), { system: '', reason: '', action: '' }),
    { class: 'system', message: 'it broke', system: 'edp' },
  ],
  [
    'causes that lead back are described',
    loop({ system: 'edp' }),
    { class: 'system', message: 'second', system: 'edp' },
  ],
  [
    'an error without a message has its name',
    new TypeError(),
    { class: 'us', message: 'TypeError' },
  ],
  ['a text is its own message', 'out of paper', { class: 'us', message: 'out of paper' }],
  ['nothing at all is described, too', undefined, { class: 'us', message: 'undefined' }],
] as const) {
  test(sentence, () => {
    assert.deepEqual(describeFailure(thrown), expected);
    assert.deepEqual(describeFailure(thrown, 'Step'), { ...expected, step: 'Step' });
  });
}

test('a time limit has a reason to match', () => {
  assert.equal(describeFailure(new TimeLimitReached('too late')).reason, 'time_limit');
  assert.equal(describeFailure(new RunTookTooLong('too long')).reason, 'run_time_limit');
});

test('a failure says nothing that an error holds besides', () => {
  const told = describeFailure(error({ password: 'canary', headers: { authorization: 'canary' } }));
  assert.deepEqual(told, { class: 'us', message: 'it broke' });
});

test('a message is told without the characters that PostgreSQL does not store', () => {
  assert.equal(describeFailure(error({}, 'a\0b\ud83d')).message, 'ab\ufffd');
});

test('a message is cut off after 2000 characters', () => {
  assert.equal(describeFailure(error({}, 'x'.repeat(3_000))).message, 'x'.repeat(2_000));
});

test('an error that is its own cause, and one of its own errors, is looked at in no time', () => {
  const knot = Object.assign(new AggregateError([], 'knot'), { system: 'edp' });
  knot.cause = knot;
  knot.errors.push(knot);
  assert.equal(isTemporary(knot), false);
  assert.equal(retryAfter(knot), 0);
  assert.equal(describeFailure(knot).system, 'edp');
});

for (const [sentence, thrown, expected] of [
  ['as long as the error says', error({ retryAfter: 1_500 }), 1_500],
  ['as long as its cause says', causedBy(causedBy(error({ retryAfter: 1_500 }))), 1_500],
  [
    'as long as the error says, whatever its cause says',
    causedBy(error({ retryAfter: 1 }), { retryAfter: 2 }),
    2,
  ],
  [
    'as long as its cause says, if its own word is no number',
    causedBy(error({ retryAfter: 1_500 }), { retryAfter: '120' }),
    1_500,
  ],
  ['no time, if nobody asked', error(), 0],
  ['no time, if the time has passed', error({ retryAfter: -1 }), 0],
  ['no time, if it is no number', error({ retryAfter: '120' }), 0],
  ['no time, if what was thrown says nothing', 'out of paper', 0],
] as const) {
  test(`a system is left alone ${sentence}`, () => assert.equal(retryAfter(thrown), expected));
}

test('a message that is cut off ends with a whole character', () => {
  assert.ok(describeFailure(error({}, `x${'😀'.repeat(1_000)}`)).message.isWellFormed());
});
