import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { paint } from './colours.ts';
import { fieldAt, fieldPath } from './field-path.ts';
import { LiveLines } from './live-lines.ts';
import { outputFormat } from './output-format.ts';
import { tableWriter } from './table.ts';
import { roughly, timeText } from './times.ts';

type Row = { readonly id: string; readonly text: string };
const columns = [
  { header: 'ID', value: ({ id }: Row) => id },
  { header: 'TEXT', value: ({ text }: Row) => text },
];
const long = 'a text that is much too long for a narrow terminal';

test('a table keeps what it has where nobody looks, and fits where somebody does', () => {
  const rows = [
    { id: 'one', text: 'short' },
    { id: 'three', text: long },
  ];
  assert.deepEqual(tableWriter(columns)(rows), ['ID     TEXT', 'one    short', `three  ${long}`]);
  assert.deepEqual(tableWriter(columns, { width: 20 })(rows), [
    'ID     TEXT',
    'one    short',
    'three  a text that …',
  ]);
});

test('a table has one line of headers, whatever comes later, and none if none are wanted', () => {
  const lines = tableWriter(columns);
  assert.equal(lines([{ id: '1', text: '' }])[0], 'ID  TEXT');
  assert.deepEqual(lines([{ id: '2', text: 'b' }]), ['2   b']);
  assert.deepEqual(tableWriter(columns, { hasHeaders: false })([{ id: '1', text: 'a' }]), [
    '1   a',
  ]);
});

test('what a service says cannot steer the terminal', () => {
  const text = 'evil\u001B[2J\u001B]0;title\u0007 and\nmore';
  const [, line = ''] = tableWriter(columns)([{ id: '1', text }]);
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(line, /[\u0000-\u001F]/);
  assert.match(line, /and more$/);
});

for (const path of ['status.state', '.status.state', '{status.state}', '{.status.state}'])
  test(`${path} is a path of a custom column`, () => {
    const format = outputFormat(`custom=STATE:${path},ID:id`);
    assert.equal(format.kind, 'custom');
    if (format.kind !== 'custom') return;
    const row = { id: 'a', status: { state: 'failed' } };
    assert.deepEqual(tableWriter<object>(format.columns)([row]), ['STATE   ID', 'failed  a']);
  });

test('a path leads into lists, and to nothing that is not there', () => {
  const value = { list: [{ name: 'a' }, { name: 'b' }] };
  assert.equal(fieldAt(value, fieldPath('list[1].name')), 'b');
  assert.deepEqual(fieldAt(value, fieldPath('list[*].name')), ['a', 'b']);
  assert.equal(fieldAt(value, fieldPath('constructor.name')), undefined);
});

for (const [wanted, complaint] of [
  ['yaml', /--output is yaml: allowed are table, wide, json/],
  ['custom-columns=', /names no column/],
  ['custom=STATE', /STATE is no column; write HEADER:path/],
  ['custom=STATE:a..b', /a\.\.b is no path of a field/],
] as const)
  test(`-o ${wanted} is refused, and what is allowed is said`, () => {
    assert.throws(() => outputFormat(wanted), { message: complaint, ending: 'usage' });
  });

test('times are shown as YYYY/MM/DD hh:mm:ss', () => {
  assert.equal(timeText('2026-11-15T13:55:35.123Z'), '2026/11/15 13:55:35');
  assert.equal(timeText('2026-11-15T14:55:35+01:00'), '2026/11/15 13:55:35');
  assert.equal(timeText(undefined), '');
});

test('durations in narrow columns have one unit', () => {
  assert.deepEqual([900, 59_000, 200_000, 7_300_000, 200_000_000].map(roughly), [
    '0s',
    '59s',
    '3m',
    '2h',
    '2d',
  ]);
});

test('colours are there only if they are wanted', () => {
  assert.equal(paint(false)('red', 'failed'), 'failed');
  assert.equal(paint(true)('red', 'failed'), '\u001B[31mfailed\u001B[39m');
});

test('live lines are redrawn in place on a terminal, and told once each elsewhere', () => {
  const sink = (isTTY: boolean) => {
    const texts: string[] = [];
    const write = (chunk: Buffer, _: string, done: () => void) => {
      texts.push(chunk.toString());
      done();
    };
    return { terminal: Object.assign(new Writable({ write }), { isTTY }), texts };
  };
  for (const [isTTY, expected] of [
    [true, ['\r\u001B[2Ka\n\u001B[2Kb\n\u001B[J', '\u001B[2A\r\u001B[2Kc\n\u001B[J']],
    [false, ['12:00 first\n', '12:02 second\n']],
  ] as const) {
    const { terminal, texts } = sink(isTTY);
    const lines = new LiveLines(terminal);
    lines.show(['a', 'b'], { at: '12:00', text: 'first' });
    if (!isTTY) lines.show(['a', 'b'], { at: '12:01', text: 'first' });
    lines.show(['c'], { at: '12:02', text: 'second' });
    assert.deepEqual(texts, expected);
  }
});

test('live lines never exceed the terminal: what is drawn can be drawn over', () => {
  let text = '';
  const write = (chunk: Buffer, _: string, done: () => void) => {
    text += chunk.toString();
    done();
  };
  const terminal = Object.assign(new Writable({ write }), { isTTY: true, rows: 4, columns: 10 });
  const picture = ['head', ...Array.from({ length: 9 }, (_, at) => `line ${at} is long`)];
  new LiveLines(terminal).show(picture, { at: '', text: '' });
  assert.equal(text, '\r\u001B[2Khead\n\u001B[2Kline 7 is…\n\u001B[2Kline 8 is…\n\u001B[J');
});
