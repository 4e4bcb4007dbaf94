import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { testDatabase } from '../src/database/testing.ts';

const run = (url: string) =>
  spawn(process.execPath, [join(import.meta.dirname, '../examples/hello-world.ts')], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

test('the hello-world example prints its timeline, and goes on where it was when it is killed in the middle', async () => {
  await using database = await testDatabase();
  const killed = run(database.url);
  const exited = once(killed, 'exit');
  let seen = '';
  for await (const chunk of killed.stdout) {
    seen += String(chunk);
    if (seen.includes('missing guests: 2')) break;
  }
  killed.kill('SIGKILL');
  await exited;
  assert.match(seen, /prepare \/ Choose_Greeting: done/);

  const again = run(database.url);
  const [output, [code]] = await Promise.all([text(again.stdout), once(again, 'exit')]);
  assert.equal(code, 0, output);
  const [live = '', stored = ''] = output.split('The timeline, as it is stored:');
  assert.doesNotMatch(live, /Choose_Greeting/); // its stage was finished
  assert.match(live, /Hello, world! \(heard by 3\)/);
  assert.match(stored, /prepare +Choose_Greeting +done/);
  assert.match(stored, /succeeded\./);
});

test('the test beside an example runs, too', async () => {
  await using database = await testDatabase();
  const file = join(import.meta.dirname, '../examples/hello-world-extension.test.ts');
  const { NODE_TEST_CONTEXT: _context, ...environment } = process.env; // its own reporter, not that of this run
  const running = spawn(process.execPath, ['--test', file], {
    env: { ...environment, TEST_DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(running.stdout), once(running, 'exit')]);
  assert.equal(code, 0, output);
  assert.match(output, /pass 3/);
});
