// One PostgreSQL for a whole test run: npm test, or node --test --test-global-setup=tests/global-setup.ts <files>

import { startTestServer } from '../src/database/testing.ts';

let stop = async (): Promise<void> => {};

export async function globalSetup(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  const server = await startTestServer({ inMemory: true });
  process.env['TEST_DATABASE_URL'] = server.url;
  stop = server.stop;
}

export async function globalTeardown(): Promise<void> {
  await stop();
}
