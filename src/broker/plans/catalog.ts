import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { CatalogSchema, type Catalog } from './catalog-schema.ts';
import { contradictionsIn } from './catalog-contradictions.ts';
import { shortened } from './invalid-parameters.ts';

/** Says of each mistake where in the file it is. */
export class InvalidCatalog extends Error {
  override readonly name = 'InvalidCatalog';
}

/** The catalog of the given file; without one, the catalog that this broker comes with. */
export async function readCatalog(
  file: string | URL = new URL('catalog.yaml', import.meta.url),
): Promise<Catalog> {
  const text = await readFile(file, 'utf8');
  try {
    return loadCatalog(text);
  } catch (cause) {
    throw new InvalidCatalog(`cannot use the catalog ${String(file)}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** From YAML, or JSON, which is YAML too. */
export function loadCatalog(text: string): Catalog {
  const document = parseYaml(text);
  const catalog = CatalogSchema.safeParse(document);
  if (!catalog.success) {
    throw new InvalidCatalog(
      catalog.error.issues
        .map(({ path, message }) => {
          const value = path.reduce<unknown>(memberOf, document);
          return `${path.join('.') || 'the file'}: ${message}, got ${shortened(value)}`;
        })
        .join('; '),
    );
  }
  const contradictions = contradictionsIn(catalog.data);
  if (contradictions.length > 0) throw new InvalidCatalog(contradictions.join('; '));
  return catalog.data;
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { merge: true });
  } catch (cause) {
    throw new InvalidCatalog(`not YAML: ${reasonOf(cause)}`, { cause });
  }
}

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;
