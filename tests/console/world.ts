// The whole product in a process of its own, and a browser to look at it: for tests of the console, and for screenshots.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { chromium, type Browser, type Page } from 'playwright-core';
import { eventually, temporaryDirectory, testDatabase } from '../../src/database/testing.ts';

const root = join(import.meta.dirname, '../..');

/** The first of the usual places, or where CHROMIUM_PATH says. */
export const chromiumPath = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== '' && existsSync(path));

/** Why the tests cannot run here, if they cannot. */
export const cannotRun =
  chromiumPath === undefined
    ? 'no Chromium is installed: apt-get install chromium, or set CHROMIUM_PATH'
    : existsSync(join(root, 'build/console/index.html'))
      ? false
      : 'the console is not built: npm run setup';

export type World = Awaited<ReturnType<typeof startWorld>>;

/** So much faster than the world: a runtime is ready in some seconds. */
const speed = 400;

export async function startWorld() {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await temporaryDirectory());
  const database = resources.use(await testDatabase());
  const child = spawn(process.execPath, [join(root, 'bin/start.ts')], {
    env: {
      PATH: process.env['PATH'],
      BROKER_PORT: '0',
      PROVISIONER_PORT: '0',
      LANDSCAPE_PORT: '0',
      LANDSCAPE_SPEED: `${speed}`,
      DATABASE_URL: database.url,
      DATA_DIR: join(folder.path, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  const ended = once(child, 'close');
  resources.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  await Promise.race([
    eventually(async () => printed.includes('npm run demo')),
    ended.then(async () => Promise.reject(new Error(`it did not start: ${await errors}`))),
  ]);
  const addressOf = (service: string) =>
    new RegExp(`^ *${service} +(http://\\S+)`, 'm').exec(printed)?.[1] ?? '';
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    // Containers rarely allow the browser a sandbox of its own; it sees nothing here but our own pages.
    args: ['--no-sandbox', '--disable-gpu'],
  });
  resources.defer(() => browser.close());
  const moved = resources.move();
  const [broker, landscape] = [addressOf('broker'), addressOf('landscape')];
  return {
    database,
    broker,
    landscape,
    browser,
    call: await caller(broker, landscape),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
};

/** A fresh tab, and what went wrong in it: errors of scripts, and what the content security policy has refused. */
export async function openTab(browser: Browser, look: Look = {}) {
  const { width = 1280, height = 860, colorScheme = 'light' } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|CSP/i.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** The page has its title, and nothing of it is still to come. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** As one of the demo's users, with the one click that it takes. */
export async function signIn(page: Page, url: string, fullName = 'Ada Admin'): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: fullName }).click();
  // Attached, not visible: on a phone it is behind a button.
  await page.locator('#menu').waitFor({ state: 'attached' });
}

/** In the name of the demo's own client, who may do everything. Whoever asks knows what the answer looks like. */
async function caller(broker: string, landscape: string) {
  const response = await fetch(`${landscape}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string }; // as the issuer answers
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(broker + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-broker-api-version': '2.17',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
}
