/** What a URL names: a collection, an object or a part of one. */
export type ResourcePath = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
};

export function resourcePath(segments: readonly string[]): ResourcePath | undefined {
  const [root, ...below] = segments;
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', version = '', ...rest] = root === 'api' ? ['', ...below] : below;
  const [first, namespace, third] = rest;
  // `namespaces/x/status` is a part of the namespace x; `namespaces/x/secrets` lies in it.
  const isWithin = first === 'namespaces' && third !== undefined && !partsOfNamespace.has(third);
  const [plural, name, subresource, ...tooMuch] = isWithin ? rest.slice(2) : rest;
  if (plural === undefined || tooMuch.length > 0) return undefined;
  return {
    group,
    version,
    plural,
    ...(isWithin && namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

const partsOfNamespace = new Set(['status', 'finalize']);
