import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser } from './event-stream.ts';

const stream =
  ': hello\n\nevent: operation\ndata: {"a":1}\n\n: still here\n\nid: 7\nevent: gap\ndata: {}\n\nevent: x\ndata: one\ndata: two\n\n';
const events = [
  { event: 'operation', data: '{"a":1}' },
  { event: 'gap', data: '{}' },
  { event: 'x', data: 'one\ntwo' },
];

test('events are the same, wherever the pieces are cut', () => {
  for (let size = 1; size <= stream.length; size += 1) {
    const parser = new EventParser();
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    assert.deepEqual(
      pieces.flatMap((piece) => parser.read(piece)),
      events,
    );
  }
});

test('an event that has not ended yet is not told', () => {
  assert.deepEqual(new EventParser().read('event: operation\ndata: {}\n'), []);
});

test('a line without a name for the event is a message, and CRLF ends lines, too', () => {
  assert.deepEqual(new EventParser().read('data: a: b\r\n\r\n'), [
    { event: 'message', data: 'a: b' },
  ]);
});
