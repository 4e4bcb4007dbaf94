import { z } from 'zod';
import type { Fields, KubernetesObject } from './kubernetes-object.ts';
import { keyOf, type ObjectStore } from './object-store.ts';
import { badRequest, expired } from './status-error.ts';

const Continue = z.object({ version: z.int(), after: z.string() });

export type Page = { readonly objects: readonly KubernetesObject[]; readonly metadata: Fields };

/**
 * A page of a list. All pages carry the version of the first one, so that a watch from there misses nothing; when that
 * version is no longer known, the list has to begin anew.
 */
export function listPage(
  store: ObjectStore,
  all: readonly KubernetesObject[],
  query: URLSearchParams,
): Page {
  const token = query.get('continue');
  const start = token ? decode(token) : undefined;
  if (start && store.eventsAfter(start.version) === undefined) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    );
  }
  const version = start?.version ?? store.version;
  const rest = start ? all.filter(({ metadata }) => keyOf(metadata) > start.after) : all;
  const limit = Number(query.get('limit') ?? 0);
  const objects = limit > 0 ? rest.slice(0, limit) : rest;
  const last = objects.at(-1);
  const remaining = rest.length - objects.length;
  const isFiltered = query.get('labelSelector') || query.get('fieldSelector');
  return {
    objects,
    metadata: {
      resourceVersion: `${version}`,
      ...(last &&
        remaining > 0 && {
          continue: encode({ version, after: keyOf(last.metadata) }),
          ...(!isFiltered && { remainingItemCount: remaining }),
        }),
    },
  };
}

const encode = (token: z.infer<typeof Continue>) =>
  Buffer.from(JSON.stringify(token)).toString('base64url');

function decode(token: string): z.infer<typeof Continue> {
  try {
    return Continue.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch {
    throw badRequest('continue key is not valid');
  }
}
