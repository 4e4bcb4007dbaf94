import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
/** Without indents: a part of a function stands further left on the page. */
const read = async (path: string) =>
  (await readFile(join(root, path), 'utf8')).replaceAll(/^ +/gm, '');

test('all code in docs/how-to/add-a-step.md is code of the example, word for word', async () => {
  const page = await read('docs/how-to/add-a-step.md');
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const files = ['examples/hello-world-extension.ts', 'examples/hello-world-extension.test.ts'];
  const code = (await Promise.all(files.map(read))).join('\n');
  assert.equal(blocks.length, 5);
  for (const block of blocks) assert.ok(code.includes(block), `not in ${files.join()}:\n${block}`);
});

test('the page leaves out nothing of the extension but its imports and its type', async () => {
  const page = await read('docs/how-to/add-a-step.md');
  const code = await read('examples/hello-world-extension.ts');
  const parts = code.split(/\n(?=\/\*\* |const extension|export default)/).slice(2);
  assert.equal(parts.length, 5);
  for (const part of parts) {
    const withoutComment = part.replace(/^\/\*\*.*\*\/\n/, '').trim();
    assert.ok(page.includes(withoutComment), `not on the page:\n${part}`);
  }
});
