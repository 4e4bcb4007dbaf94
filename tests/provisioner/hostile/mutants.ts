// Valid requests with one token of their text changed.
import { Lexer, Source, TokenKind } from 'graphql';
import { asking, type Family, type Surroundings } from './hostile-request.ts';
import { orders, written } from './orders.ts';
import type { Random } from './random.ts';

const fields = '{ id operation state message runtimeID compassRuntimeID lastError { reason } }';

const queries = ({ runtimeId, operationId }: Surroundings) => [
  `query Status { runtimeOperationStatus(id: "${operationId}") ${fields} }`,
  `query { runtimeStatus(id: "${runtimeId}") { lastOperationStatus ${fields} runtimeConfiguration { clusterConfig { name providerSpecificConfig { ... on AzureProviderConfig { zones } } } } } }`,
];

function valid(around: Surroundings): string {
  const { random, shootName, runtimeId } = around;
  if (random.chance(0.25)) return random.pick(queries(around));
  return written(random.pick(Object.values(orders))(shootName), runtimeId, fields);
}

const others = [
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  ':',
  '!',
  '$',
  '@',
  '|',
  '&',
  '=',
  '...',
  '""',
  '"\\u0000"',
  '"""block"""',
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '2147483648',
  '9007199254740993',
  'id',
  'query',
  'mutation',
  'fragment',
  'on',
  '__proto__',
  '$config',
  '"unterminated',
  '?',
  '\u0000',
];

/** Where each token begins and ends. */
function tokensOf(text: string): { readonly start: number; readonly end: number }[] {
  const lexer = new Lexer(new Source(text));
  const tokens = [];
  while (lexer.advance().kind !== TokenKind.EOF)
    tokens.push({ start: lexer.token.start, end: lexer.token.end });
  return tokens;
}

function mutated(text: string, random: Random): string {
  const { start, end } = random.pick(tokensOf(text));
  const [before, token, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  const at = random.between(0, token.length);
  const character = String.fromCodePoint(random.between(0, 0x2ff));
  return `${before}${random.pick([
    ' ',
    `${token} ${token}`,
    random.pick(others),
    `${token.slice(0, at)}${character}${token.slice(at)}`,
    `${token.slice(0, at)}${token.slice(at + 1)}`,
    token.toUpperCase(),
  ])}${after}`;
}

export const mutants: Readonly<Record<string, Family>> = {
  'valid requests with one token changed': {
    share: 1_500,
    mayBeValid: true,
    make: (around) => asking(mutated(valid(around), around.random)),
  },
};
