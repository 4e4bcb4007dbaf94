// One PostgreSQL for a whole test run: node --test --test-global-setup=tests/global-setup.ts

import { startTestServer } from '../src/database/testing.ts';

let stop = async (): Promise<void> => {};

export async function globalSetup(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  const server = await startTestServer();
  process.env['TEST_DATABASE_URL'] = server.url;
  stop = server.stop;
}

export async function globalTeardown(): Promise<void> {
  await stop();
}
