import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** A database of its own for each measurement, so that nothing is left over for the next. */
export async function withDatabase<Result>(
  url: string,
  use: (address: string, name: string) => Promise<Result>,
): Promise<Result> {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await onServer(url, `create database ${name}`);
  try {
    return await use(url.replace(/\/[^/?]*(?=\?|$)/, `/${name}`), name);
  } finally {
    await onServer(url, `drop database if exists ${name} with (force)`);
  }
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
