import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isFields } from './kubernetes-object.ts';
import { badRequest, rejected } from './status-error.ts';

const Pointer = z.string().regex(/^(?:\/.*)?$/s);
const JsonPatch = z.array(
  z.discriminatedUnion('op', [
    z.object({ op: z.enum(['add', 'replace', 'test']), path: Pointer, value: z.unknown() }),
    z.object({ op: z.literal('remove'), path: Pointer }),
    z.object({ op: z.enum(['move', 'copy']), path: Pointer, from: Pointer }),
  ]),
);

/** RFC 6902: all of the operations, or none of them. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  const operations = JsonPatch.safeParse(patch);
  if (!operations.success) {
    throw badRequest(`error decoding patch: ${z.prettifyError(operations.error)}`);
  }
  const root = { '': structuredClone(target) };
  for (const operation of operations.data) {
    switch (operation.op) {
      case 'add':
        put(root, operation.path, operation.value, 'insert');
        break;
      case 'replace':
        take(root, operation.path, 'look');
        put(root, operation.path, operation.value, 'overwrite');
        break;
      case 'test':
        if (!isDeepStrictEqual(take(root, operation.path, 'look'), operation.value)) {
          throw rejected(`testing value ${operation.path} failed`);
        }
        break;
      case 'remove':
        take(root, operation.path, 'remove');
        break;
      case 'move':
        put(root, operation.path, take(root, operation.from, 'remove'), 'insert');
        break;
      case 'copy':
        put(root, operation.path, structuredClone(take(root, operation.from, 'look')), 'insert');
        break;
    }
  }
  return root[''];
}

/** The whole document lies below an empty key, so that the pointer '' needs no exception. */
function placeOf(root: object, pointer: string): { parent: object; key: string } {
  const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = keys.pop() ?? '';
  let parent: unknown = root;
  for (const step of keys) {
    if (Array.isArray(parent)) parent = parent[indexIn(parent, step, pointer)];
    else parent = isFields(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
  }
  if (typeof parent !== 'object' || parent === null) throw missing(pointer);
  return { parent, key };
}

function take(root: object, pointer: string, how: 'look' | 'remove'): unknown {
  const { parent, key } = placeOf(root, pointer);
  if (Array.isArray(parent)) {
    const index = indexIn(parent, key, pointer);
    return how === 'remove' ? parent.splice(index, 1)[0] : parent[index];
  }
  if (!isFields(parent) || !Object.hasOwn(parent, key)) throw missing(pointer);
  const value = parent[key];
  if (how === 'remove') delete parent[key];
  return value;
}

function put(root: object, pointer: string, value: unknown, how: 'insert' | 'overwrite'): void {
  const { parent, key } = placeOf(root, pointer);
  if (Array.isArray(parent)) {
    const end = how === 'insert' ? parent.length : parent.length - 1;
    const index = key === '-' && how === 'insert' ? end : indexIn(parent, key, pointer, end);
    parent.splice(index, how === 'insert' ? 0 : 1, value);
  } else if (isFields(parent)) {
    parent[key] = value;
  }
}

function indexIn(list: unknown[], key: string, pointer: string, last = list.length - 1): number {
  if (!/^(?:0|[1-9]\d*)$/.test(key) || Number(key) > last) throw missing(pointer);
  return Number(key);
}

const missing = (pointer: string) => rejected(`doc is missing path: "${pointer}": missing value`);
