// The list of runtimes in the console, in a real browser, as somebody waits for it.
import { chromium, type Page } from 'playwright-core';
import { cannotRun, chromiumPath } from '../tests/console/world.ts';
import { order } from './broker.ts';

/** In milliseconds, by what was waited for; nothing where there is no Chromium, or no console. */
export async function consoleTimes(
  broker: string,
  osb: string,
  times: number,
): Promise<Record<string, number[]>> {
  if (cannotRun !== false) {
    process.stderr.write(`the console is left out: ${cannotRun}\n`);
    return {};
  }
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const list = `${broker}/ui/runtimes`;
    const numbers = Array.from({ length: times }, (_, index) => index + 1);
    const clicks = async (name: string) => {
      await page.goto(list);
      await untilFirstRow(page, '!== undefined');
      return each(numbers, () => click(page, name));
    };
    return {
      console_first_rows: await each(numbers, async () => {
        await page.goto(list);
        await untilFirstRow(page, `=== 'runtime-1'`);
      }),
      // A quarter of a second of it is waiting for the next key.
      console_search_to_rows: await each(numbers, async (number) => {
        const wanted = `${(number % 9) + 1}7777`;
        await page.getByLabel('Search').fill(`c-${wanted}`);
        await untilFirstRow(page, `=== 'runtime-${wanted}'`);
      }),
      console_next_page: await clicks('Next'),
      console_sort: await clicks('Created'),
      console_live_update: await liveUpdates(page, list, osb, numbers),
    };
  } finally {
    await browser.close();
  }
}

/** Looks at each frame that is drawn. */
const untilFirstRow = (page: Page, condition: string) =>
  page.evaluate(`new Promise((resolve) => {
    const look = () =>
      document.querySelector('tbody th a')?.textContent ${condition} ? resolve() : requestAnimationFrame(look);
    look();
  })`);

/** From the click until other rows stand there. */
async function click(page: Page, name: string): Promise<void> {
  const before = await page.getByRole('rowheader').first().getByRole('link').textContent();
  await page.getByRole('link', { name }).click();
  await untilFirstRow(page, `!== ${JSON.stringify(before)}`);
}

/**
 * From the moment that somebody elsewhere orders one until it stands in the list. The first is told at once; whoever orders
 * all the time waits until the list is loaded again, at most every one and a half seconds.
 */
async function liveUpdates(page: Page, list: string, osb: string, numbers: readonly number[]) {
  await page.goto(list);
  await page.getByRole('status').getByText('live').waitFor();
  return each(numbers, async (number) => {
    const { url, method, body } = order(osb, `live-${number}`);
    const answer = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', 'x-broker-api-version': '2.17' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 202) throw new Error(`an order was answered with ${answer.status}`);
    await untilFirstRow(page, `=== 'live-${number}'`);
  });
}

async function each(
  numbers: readonly number[],
  act: (number: number) => Promise<unknown>,
): Promise<number[]> {
  const took = [];
  for (const number of numbers) {
    const began = performance.now();
    await act(number);
    took.push(performance.now() - began);
  }
  return took;
}
