// For tests of clients. Not exported by the door of the module.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { GraphqlError } from './graphql-client.ts';
import { SystemError } from './system-error.ts';

/**
 * For assert.rejects: `const failsWith = failuresOf('edp', canary)` makes checks for a SystemError of that system with
 * the given fields. In none of them may the canary be seen, whatever is inspected.
 */
export const failuresOf =
  (system: string, canary: string) => (expected: Partial<GraphqlError>) => (error: unknown) => {
    assert.ok(error instanceof SystemError, inspect(error));
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(canary), 'the canary shows');
    const fields = { ...Object.fromEntries(Object.entries(error)), message: error.message };
    assert.partialDeepStrictEqual(fields, { system, ...expected });
    return true;
  };
