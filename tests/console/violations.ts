import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe has against the page as it is now; all of its rules, or these. */
export async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Once for each document: it is large.
  if (!(await page.evaluate('globalThis.axe !== undefined'))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    `axe.run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)}, preload: false, iframes: false }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
  return found as string[]; // as written above
}
