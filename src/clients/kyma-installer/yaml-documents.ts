import { parseAllDocuments } from 'yaml';
import type { z } from 'zod';

/** Says where and what is wrong, without quoting the file. */
export type Malformed = { readonly kind: 'malformed'; readonly because: string };

/** The documents of a YAML file that have more than comments, each of this shape. */
export function readYaml<Content>(
  text: string,
  shape: z.ZodType<Content>,
):
  { readonly kind: 'documents'; readonly documents: readonly [Content, ...Content[]] } | Malformed {
  const documents: Content[] = [];
  for (const [index, document] of [...parseAllDocuments(text)].entries()) {
    const where = `document ${index + 1}`;
    const [error] = document.errors;
    if (error) return malformed(`${where}, line ${error.linePos?.[0].line ?? '?'}: ${error.code}`);
    const content = contentOf(document);
    if (content === null) continue;
    const result = shape.safeParse(content);
    if (!result.success) {
      const [issue] = result.error.issues;
      const field = issue?.path.map(String).join('.') ?? '';
      return malformed(`${where}: ${field || 'the whole'}: ${issue?.message ?? 'wrong shape'}`);
    }
    documents.push(result.data);
  }
  const [first, ...others] = documents;
  if (first === undefined) return malformed('the whole: there is nothing in it');
  return { kind: 'documents', documents: [first, ...others] };
}

const malformed = (because: string): Malformed => ({ kind: 'malformed', because });

/** Undefined if its references lead nowhere, or to too much. */
function contentOf(document: { toJS: () => unknown }): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}
