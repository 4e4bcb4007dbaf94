import { parse as parseYaml } from 'yaml';
import { badRequest, unsupportedMediaType } from './status-error.ts';

/** Without its parameters: 'application/json'. */
export const mediaType = (header: string | undefined): string =>
  (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** A whole object, as JSON or as YAML; nothing at all for an empty body. */
export function objectBody(body: unknown, contentType: string | undefined): unknown {
  const type = mediaType(contentType);
  switch (type) {
    case '':
    case '*/*':
    case 'application/json':
      return jsonBody(body);
    case 'application/yaml':
      return yamlBody(body);
    default:
      throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
}

export const jsonBody = (body: unknown) =>
  read(body, 'json', (text) => JSON.parse(text) as unknown);
export const yamlBody = (body: unknown) =>
  read(body, 'yaml', (text) => parseYaml(text, { maxAliasCount: 100 }) as unknown);

/** A body that is no text was read by whoever received it. */
function read(body: unknown, format: string, parse: (text: string) => unknown): unknown {
  if (typeof body !== 'string') return body ?? undefined;
  if (body.trim() === '') return undefined;
  try {
    return parse(body);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw badRequest(`error decoding the body as ${format}: ${why}`);
  }
}
