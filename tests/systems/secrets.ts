import { inspect } from 'node:util';
import { pino } from 'pino';

/** A credential that can be told from all others, and found wherever it shows. */
export const canary = (system: string, n: number): string => `canary-${system}-${n}`;

/** As it is, as URLs, JSON and bytes have it, and as Base64 has it, at whichever byte of a group of three it begins. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('hex'),
  ...[0, 1, 2].map((offset) => {
    const encoded = Buffer.from('.'.repeat(offset) + secret).toString('base64');
    return encoded.slice(
      Math.ceil((offset * 4) / 3),
      Math.floor(((offset + secret.length) * 4) / 3),
    );
  }),
];
const canaries = formsOf('canary-');

/** Those of the secrets that can be seen in one of the texts. */
export function secretsIn(texts: readonly string[], others: Iterable<string>): string[] {
  const all = [...canaries, ...[...others].flatMap(formsOf)];
  return all.filter((secret) => texts.some((text) => text.includes(secret)));
}

/** All that people may see of an error. */
export function textsOf(error: unknown): string[] {
  const lines: string[] = [];
  pino({}, { write: (line: string) => void lines.push(line) }).error({ err: error }, 'it failed');
  return [
    inspect(error, { depth: 9, showHidden: true }),
    String(error instanceof Error ? error.stack : error),
    JSON.stringify(error) ?? '',
    ...lines,
  ];
}
