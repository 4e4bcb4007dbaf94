import type { ClientBase } from 'pg';
import { inTransaction, type Database } from '#database';
import { seconds } from '#time';
import { Refusal } from '../errors.ts';
import type { TargetSelectors } from './orchestration.ts';

/** So long PostgreSQL may think about one of them, and about all that are asked for together. */
const patience = { each: seconds(1), all: seconds(5) } as const;

const columns = {
  globalAccount: 'global_account',
  subAccount: 'subaccount',
  region: 'region',
} as const;
const fields = Object.keys(columns) as (keyof typeof columns)[]; // it has no other keys

/** Refuses what cannot be used, by its place: PostgreSQL has the last word, because it will be asked to match. */
export async function checkExpressions(
  database: Database,
  targets: TargetSelectors,
): Promise<void> {
  const all = (['include', 'exclude'] as const).flatMap((list) =>
    targets[list].flatMap((selector, index) =>
      fields.flatMap((field) => {
        const expression = selector[field];
        const place = `targets.${list}.${index}.${field}`;
        return expression === undefined ? [] : [{ place, field, expression }];
      }),
    ),
  );
  if (all.length === 0) return;
  const deadline = performance.now() + patience.all;
  await inTransaction(database, async (db) => {
    await db.query(`set local statement_timeout = ${patience.each}`);
    for (const { place, field, expression } of all) {
      const problem =
        performance.now() > deadline
          ? 'those before it have taken too long'
          : await problemWith(db, field, expression);
      if (problem !== undefined)
        throw new Refusal(
          'MALFORMED_REQUEST',
          `${place} is ${JSON.stringify(expression)}: expected a regular expression (${problem})`,
        );
    }
  });
}

/** Whether PostgreSQL has given up, as it does at the limit that it was given. */
export const tookTooLong = (error: unknown): boolean => codeOf(error) === '57014';

/** Tried on values that there are, because some take their time only with them. */
async function problemWith(
  db: ClientBase,
  field: keyof typeof columns,
  expression: string,
): Promise<string | undefined> {
  if (/\\[1-9]/.test(expression)) return 'back references are not allowed';
  try {
    await db.query(
      `select ('' ~ $1)::integer + count(*)
         from (select ${columns[field]} as value from instances limit 1000) tried where value ~ $1`,
      [expression],
    );
    return undefined;
  } catch (error) {
    if (tookTooLong(error)) return 'it takes too long to match';
    // 2201B: invalid_regular_expression.
    if (error instanceof Error && codeOf(error) === '2201B') return error.message;
    throw error;
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? error.code : undefined;
