// Whether the audit logs are as they were written, without asking the services: node bin/verify-audit.ts <schema> …
import { pino } from 'pino';
import { AuditLog, type AuditHead } from '#audit';
import { openDatabase } from '#database';

const usage = `usage: [DATABASE_URL=…] node bin/verify-audit.ts <schema>[@<number>:<hash>] …

A number and a hash are those of a head that was noted before: the log must still contain it.`;

/** `broker`, or `broker@1234:89ab…`. */
const logs = process.argv.slice(2).map((word) => {
  const [, schema, number, hash] =
    /^([a-z][a-z0-9_]*)(?:@(\d{1,15}):([0-9a-f]{64}))?$/.exec(word) ?? [];
  const noted = number === undefined ? undefined : { number: Number(number), hash: hash ?? '' };
  return { schema, noted };
});
const { DATABASE_URL: url, DATA_DIR: dataDirectory } = process.env;
if (logs.length === 0 || logs.some(({ schema }) => schema === undefined)) {
  console.error(usage);
  process.exit(2);
}

const log = pino({ level: 'silent' });
for (const { schema = '', noted } of logs) {
  const isWell = await verify(schema, noted);
  if (!isWell) process.exitCode = 1;
}

async function verify(schema: string, noted: AuditHead | undefined): Promise<boolean> {
  await using database = await openDatabase({
    url,
    schema,
    ...(dataDirectory && { dataDirectory }),
  });
  const { ok, entries, head, brokenAt, because } = await new AuditLog(database, log).verify(noted);
  console.log(
    ok
      ? `${schema}: ${entries} entries, as they were written; head ${head.number}:${head.hash}`
      : `${schema}: broken at entry ${brokenAt}: ${because}`,
  );
  return ok;
}
