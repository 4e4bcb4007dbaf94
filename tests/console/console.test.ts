// The console as people use it: in a real browser, with the whole product behind it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { cannotRun, openTab, signIn, startWorld, untilLoaded, type World } from './world.ts';
import { storeLongOperation } from './long-operation.ts';

describe('the console', { skip: cannotRun }, () => {
  let world: World;
  let page: Page;
  let complaints: string[];
  let close = async () => {};
  before(async () => {
    world = await startWorld();
    const tab = await openTab(world.browser);
    ({ page, complaints } = tab);
    close = async () => {
      await tab[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    };
  });
  after(() => close());

  const open = (path: string) => page.goto(`${world.broker}${path}`);
  const facts = () => page.getByRole('region', { name: 'Facts' });
  const operation = () => page.getByRole('region', { name: 'Operation', exact: true });
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  const order = async (name: string) => {
    await open('/ui/order?plan=azure');
    await page.getByLabel('Cluster Name').fill(name);
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    await heading(name).waitFor();
    return new URL(page.url()).pathname.split('/').at(-1) ?? '';
  };
  const fault = async (system: string, what: string) => {
    await open('/ui/landscape');
    await page.getByLabel('System').selectOption(system);
    await page.getByLabel('What goes wrong').selectOption({ label: what });
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('list', { name: 'Active faults' }).getByText(system).waitFor();
  };
  const noFaults = async () => {
    await open('/ui/landscape');
    await page.getByRole('button', { name: /^Switch off/ }).click();
    await page.getByText('Everything works.').waitFor();
  };

  let third = ''; // the runtime that waits for Gardener, and is helped then

  test('nobody sees anything before they sign in; one click, and they are where they wanted to be', async () => {
    await open('/ui/fleet?range=7d');
    await page.getByRole('button', { name: 'Ada Admin' }).waitFor();
    assert.equal(await page.getByRole('navigation').count(), 0);
    assert.deepEqual(await violationsIn(page), []);
    await signIn(page, `${world.broker}/ui/fleet?range=7d`);
    await heading('Fleet').waitFor();
    assert.equal(new URL(page.url()).search, '?range=7d');
  });

  test('before the first order the list says that it is empty, and what will happen', async () => {
    await open('/');
    await heading('Runtimes').waitFor();
    assert.equal(new URL(page.url()).pathname, '/ui/runtimes');
    await page.getByText('There is no runtime yet').waitFor();
  });

  test('what is wrong with an order is said beside its fields, by the form or by the broker', async () => {
    await open('/ui/order?plan=azure');
    await page.getByLabel('Auto Scaler Max').fill('500');
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    const name = page.getByLabel('Cluster Name');
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    const described = await name.getAttribute('aria-describedby');
    assert.match((await page.locator(`[id="${described}"]`).textContent()) ?? '', /needed/);
    await page.getByText('This must be at most 80.').waitFor();
    await name.fill('orders');
    await page.getByLabel('Auto Scaler Max').fill('3');
    await page.getByLabel('Auto Scaler Min').fill('9');
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    await page.getByRole('alert').getByText(/min:9/).waitFor();
  });

  test('a runtime is watched from the order to its success, without anybody loading anything again', async () => {
    await order('first');
    await page.evaluate('document.documentElement.id = "the same document"');
    await operation().getByText('in progress', { exact: true }).waitFor();
    await page.getByRole('status').getByText('live').waitFor();
    await facts().getByText('succeeded').waitFor();
    await operation().getByText('succeeded').first().waitFor();
    await page.getByRole('rowheader', { name: 'create_runtime', exact: true }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.id'), 'the same document');
    const runs = page.getByRole('button', { name: 'Runs of Check_Runtime' });
    await runs.focus();
    await page.keyboard.press('Enter');
    assert.equal(await runs.getAttribute('aria-expanded'), 'true');
    await page.getByRole('rowheader', { name: /attempt \d+: done/ }).waitFor();
  });

  test('the kubeconfig of a runtime is a file', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Kubeconfig', exact: true }).click();
    assert.equal((await download).suggestedFilename(), 'kubeconfig.yaml');
  });

  test('an update starts from what the runtime is, and is refused if nothing changes', async () => {
    await page.getByRole('link', { name: 'Update' }).click();
    await heading('Update the runtime').waitFor();
    await page.getByRole('button', { name: 'Update' }).click();
    await page.getByRole('alert').getByText('Nothing has changed').waitFor();
    await page.getByLabel('Auto Scaler Max').fill('12');
    await page.getByRole('button', { name: 'Update' }).click();
    await heading('first').waitFor();
    const newest = page.getByRole('listitem').filter({ hasText: 'update' }).first();
    await newest.getByText('succeeded').waitFor();
  });

  test('the list is searched, filtered and sorted by its address, and learns of new runtimes by itself', async () => {
    await open('/ui/runtimes');
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    await page.getByLabel('Search').fill('nothing like this');
    await page.getByText('No runtime matches these filters').waitFor();
    assert.match(page.url(), /search=nothing/);
    await page.getByLabel('Search').fill('fir');
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    await page.getByLabel('Plan', { exact: true }).selectOption('aws');
    await page.getByText('No runtime matches these filters').waitFor();
    await page.goBack().catch(() => undefined);
    await open('/ui/runtimes?plan=azure&sort=region');
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    const region = page.getByRole('columnheader', { name: 'Region' });
    assert.equal(await region.getAttribute('aria-sort'), 'ascending');
    await region.getByRole('link').click();
    await page.waitForURL(/sort=-region/);
    await page.getByRole('link', { name: 'With residue' }).click();
    await page.getByText('No runtime matches these filters').waitFor();

    await open('/ui/runtimes');
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    await using other = await openTab(world.browser);
    await signIn(other.page, `${world.broker}/ui/order?plan=azure`);
    await other.page.getByLabel('Cluster Name').fill('second');
    await other.page.getByRole('button', { name: 'Order', exact: true }).click();
    await page
      .getByRole('row', { name: /second/ })
      .getByText(/provisioning|succeeded/)
      .waitFor();
  });

  test('a timeline of ten thousand steps is drawn and scrolled without a freeze', async () => {
    const id = await storeLongOperation(world.database, 10_000);
    await page.addInitScript(`globalThis.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
      }).observe({ type: 'longtask', buffered: true });`);
    await open(`/ui/operations/${id}`);
    const list = page.getByRole('rowgroup', { name: 'Stages and steps' });
    await page.getByText('10,000 records').waitFor();
    for (const part of [0.25, 0.5, 0.75, 1])
      await list.evaluate((element, share) => {
        element.scrollTop = element.scrollHeight * share;
      }, part);
    await page.getByRole('rowheader', { name: 'Step_10000' }).waitFor();
    assert.ok((await page.getByRole('rowheader').count()) < 60);
    const longest = Number(await page.evaluate('globalThis.longest'));
    assert.ok(longest < 400, `the page stood still for ${longest} ms`);
  });

  test('a job is tried without changing anything, and tells what it would have done', async () => {
    await open('/ui/jobs');
    await page.getByRole('button', { name: 'Dry run of deprovision-retrigger' }).click();
    await page.getByRole('link', { name: 'deprovision-retrigger' }).click();
    const runs = page.getByRole('region', { name: 'Runs of deprovision-retrigger' });
    await runs.getByText(/by hand of admin, dry run/).waitFor();
  });

  test('the landscape shows what exists, and changes its speed', async () => {
    await open('/ui/landscape');
    await page
      .getByText(/shoots\.core\.gardener\.cloud/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: '40 ×', exact: true }).click();
    await page.getByText('40 simulated seconds').waitFor();
    await page.getByRole('button', { name: '1,000 ×' }).click();
    await page.getByText('1,000 simulated seconds').waitFor();
  });

  test('a stream that ends is opened again, and what was missed is loaded', async () => {
    let streams = 0;
    let lists = 0;
    await page.route('**/runtimes/stream', async (route) => {
      streams += 1;
      if (streams === 1)
        await route.fulfill({ contentType: 'text/event-stream', body: ': hello\n\n' });
      else await route.continue();
    });
    page.on('request', (request) => {
      if (/\/runtimes\?/.test(request.url())) lists += 1;
    });
    await open('/ui/runtimes');
    await page.getByRole('status').getByText('live').waitFor();
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    await page.unroute('**/runtimes/stream');
    assert.ok(streams >= 2, `${streams} streams`);
    assert.ok(lists >= 2, `${lists} lists`);
  });

  test('links do not load the console again, and the title of the new page gets the focus', async () => {
    await page.evaluate('document.documentElement.id = "the same document"');
    await page.getByRole('link', { name: 'Fleet' }).click();
    await heading('Fleet').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Fleet');
    assert.equal(await page.title(), 'Fleet · Kyma control plane');
    await page.goBack();
    await heading('Runtimes').waitFor();
    assert.equal(await page.evaluate('document.documentElement.id'), 'the same document');
    await open('/ui/no/such/page');
    await page.getByText('There is nothing at this address').waitFor();
  });

  for (const [user, menu] of [
    ['Vera Viewer', ['Runtimes', 'Fleet', 'Orchestrations', 'Landscape']],
    ['Otto Operator', ['Runtimes', 'Fleet', 'Orchestrations', 'Jobs', 'Landscape']],
    ['Olga Orchestrator', ['Orchestrations', 'Landscape']],
    ['Carl Customer', ['Order', 'Landscape']],
  ] as const)
    test(`${user} is offered what the groups and scopes allow`, async () => {
      await using tab = await openTab(world.browser);
      await signIn(tab.page, `${world.broker}/ui/`, user);
      const links = tab.page
        .getByRole('navigation', { name: 'Pages', exact: true })
        .getByRole('link');
      await links.first().waitFor();
      assert.deepEqual(await links.allTextContents(), menu);
      assert.equal(await tab.page.getByRole('button', { name: 'Delete' }).count(), 0);
      assert.deepEqual(tab.complaints, []);
    });

  test('where it is no demo the issuer asks who it is, and a session outlives its tokens', async () => {
    await using tab = await openTab(world.browser);
    const config = { issuer: `${world.landscape}/issuer`, clientId: 'console', demo: false };
    await tab.page.route('**/console/config.json', (route) => route.fulfill({ json: config }));
    const lifetime = (seconds: number) =>
      fetch(`${world.landscape}/issuer/_lifetime`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ access_token: seconds }),
      });
    const renewals: string[] = [];
    tab.page.on('request', (request) => {
      if (request.postData()?.includes('grant_type=refresh_token')) renewals.push(request.url());
    });
    await lifetime(20); // too short for comfort: renewed at once
    try {
      await tab.page.goto(`${world.broker}/ui/runtimes`);
      await tab.page.getByRole('button', { name: 'Sign in' }).click();
      await tab.page.getByRole('button', { name: 'Vera Viewer' }).click();
      await tab.page.getByRole('rowheader', { name: 'first' }).waitFor();
    } finally {
      await lifetime(3_600);
    }
    assert.ok(renewals.length > 0);
    assert.equal(await tab.page.getByRole('link', { name: 'Landscape' }).count(), 0);
  });

  test('whoever signs out has to sign in again', async () => {
    await using tab = await openTab(world.browser);
    await signIn(tab.page, `${world.broker}/ui/`, 'Vera Viewer');
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await tab.page.getByRole('button', { name: 'Vera Viewer' }).waitFor();
  });

  test('a failure says whose it is and what to do; after the cause is gone a retry goes on', async () => {
    await open('/ui/runtimes'); // the fault must not hit what is still on its way
    await page
      .getByRole('row', { name: /second/ })
      .getByText('succeeded')
      .waitFor();
    await fault('gardener', 'refuses (403)');
    const id = await order('fourth');
    await facts().getByText('failed').waitFor();
    await operation().getByText('Error class').waitFor();
    await open('/ui/fleet');
    const group = page.getByRole('row').filter({ has: page.locator(`a[href$="${id}"]`) });
    await group.locator('summary').click();
    await group.getByRole('link', { name: id }).waitFor();
    await noFaults();
    await open(`/ui/runtimes/${id}`);
    await operation().getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Do it' }).click();
    await facts().getByText('provisioning').waitFor();
  });

  test('a runtime is deleted by whoever types its name', async () => {
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Type fourth to confirm.').waitFor();
    await dialog.getByLabel('Type fourth').fill('fourth');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This runtime does not exist any more').waitFor();
    await operation().getByText('deprovision').waitFor();
  });

  test('a system that is away is named where it hurts: what waits for it, why, and until when', async () => {
    await fault('gardener', 'unavailable (503)');
    third = await order('third');
    const panel = operation().getByRole('status');
    await panel
      .getByText(/gardener/)
      .first()
      .waitFor();
    await panel.getByText('Next try').waitFor();
    await panel.getByText('Attempt').waitFor();
    await panel.getByText('What to do:').waitFor();
    await open('/ui/runtimes?attention=retrying');
    await page.getByRole('rowheader', { name: 'third' }).waitFor();
    await page.getByRole('link', { name: 'third' }).click();
  });

  test('an operator learns what an action would do, and then does it', async () => {
    await operation().getByRole('button', { name: 'Try now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await operation().getByRole('button', { name: 'Skip a step' }).click();
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText('Say why').waitFor();
    await dialog.getByLabel('Reason').fill('nobody is billed here');
    await dialog.getByLabel('Step').selectOption('EDP_Registration');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('What would happen').waitFor();
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.waitFor({ state: 'detached' });

    await order('fifth');
    await operation().getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByLabel('Reason').fill('a test');
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await operation().getByText('canceled', { exact: true }).first().waitFor();
    await noFaults();

    await open(`/ui/runtimes/${third}`);
    await facts().getByText('succeeded').waitFor();
    await operation().getByText('nobody is billed here').first().waitFor();
  });

  test('an orchestration is previewed, begun, paused, resumed and canceled', async () => {
    await open('/ui/orchestrations');
    await page.getByText('No orchestration yet').waitFor();
    await page.getByRole('link', { name: 'Upgrade many runtimes' }).click();
    await page.getByLabel('Waves', { exact: true }).fill('one');
    await page.getByRole('button', { name: 'Show matching runtimes' }).click();
    await page.getByText('Numbers or percentages').waitFor();
    await page.getByLabel('Waves', { exact: true }).fill('1');
    await page.getByLabel('Pause between waves').fill('24h');
    await page.getByRole('button', { name: 'Show matching runtimes' }).click();
    await page.getByRole('heading', { name: '3 runtimes match' }).waitFor();
    await page.getByRole('button', { name: 'Begin' }).click();
    await heading('upgradeKyma').waitFor();
    const progress = page.getByRole('region', { name: 'Progress' });
    const steer = async (button: string) => {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Do it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await progress.getByText('1 succeeded').waitFor();
    await progress.getByText('0 of 0 failures used').waitFor();
    await progress.getByText('Wave 1: 1 of 1').waitFor();
    await steer('Pause');
    await progress.getByText('paused', { exact: true }).waitFor();
    await steer('Resume');
    await progress.getByText('in progress', { exact: true }).waitFor();
    await steer('Cancel');
    await progress.getByText('canceled', { exact: true }).first().waitFor();
  });

  test('a failed upgrade pauses its orchestration, which says why, and is retried', async () => {
    await fault('reconciler', 'refuses (403)');
    await open('/ui/orchestrations/new');
    await page.getByLabel('Error budget').fill('0');
    await page.getByRole('button', { name: 'Begin' }).click();
    const progress = page.getByRole('region', { name: 'Progress' });
    await progress.getByText(/ [1-3] failed,/).waitFor();
    await progress.getByText('What has failed').waitFor();
    await noFaults();
    await open('/ui/orchestrations');
    await page.getByRole('link', { name: 'upgradeKyma' }).first().click();
    await page.getByRole('button', { name: 'Retry failed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Do it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('colours are those of the system, or those that somebody has chosen, and stay so', async () => {
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [light, dark] = ['rgb(246, 247, 249)', 'rgb(18, 23, 29)'];
    const colours = page.getByRole('button', { name: /^Colours/ });
    const choose = async (name: string) => {
      await colours.click();
      await page.getByRole('button', { name: `Colours: ${name}` }).waitFor();
    };
    await open('/ui/runtimes');
    await page.emulateMedia({ colorScheme: 'light' });
    await colours.waitFor();
    assert.equal(await paper(), light);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(), dark);
    await choose('light');
    assert.equal(await paper(), light);
    await choose('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    await colours.waitFor();
    assert.equal(await paper(), dark);
    await choose('system');
    assert.equal(await paper(), light);
  });

  test('every page is there for people who cannot see it, in light and dark, and fits a phone', async (t) => {
    const ids = await someIds(world);
    for (const path of [
      '/ui/runtimes',
      `/ui/runtimes/${ids.runtime}`,
      `/ui/runtimes/${ids.runtime}/update`,
      '/ui/order?plan=azure',
      '/ui/fleet',
      '/ui/orchestrations',
      `/ui/orchestrations/${ids.orchestration}`,
      '/ui/orchestrations/new',
      '/ui/jobs',
      '/ui/landscape',
    ])
      await t.test(path, async () => {
        await page.setViewportSize({ width: 1280, height: 860 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          if (colorScheme === 'light') {
            await open(path);
            await untilLoaded(page);
          }
          // Colours are all that the other scheme changes.
          const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
          assert.deepEqual(await violationsIn(page, rules), [], colorScheme);
        }
        await page.setViewportSize({ width: 380, height: 800 });
        const overflow =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(overflow), 0, 'it scrolls sideways at 380 pixels');
      });
  });

  test('each page of a long list has an address', async () => {
    await copyRuntime(world, 120);
    await open('/ui/runtimes?sort=createdAt');
    await page.getByText('Page 1 of 3').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 3').waitFor();
    await page.getByRole('rowheader', { name: /copy-60$/ }).waitFor();
    const second = await page.getByRole('rowheader').allTextContents();
    await page.reload();
    await page.getByRole('rowheader', { name: /copy-60$/ }).waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), second);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 3 of 3').waitFor();
    await page.getByRole('rowheader', { name: /copy-120$/ }).waitFor();
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('rowheader', { name: /copy-60$/ }).waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), second);
  });

  test('no script has failed, and the content security policy had nothing to refuse', () => {
    assert.deepEqual(complaints, []);
  });
});

async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(`globalThis.axe ?? (0, eval)(${JSON.stringify(axe.source)})`);
  const found = await page.evaluate(
    `axe.run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)}, preload: false, iframes: false }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
  return found as string[]; // as written above
}

async function someIds({ database }: World) {
  const { rows } = await database.pool.query<{ runtime: string; orchestration: string }>(
    `select (select id from broker.instances order by created_at limit 1) as runtime,
            (select id from broker.orchestrations order by created_at limit 1) as orchestration`,
  );
  const [ids] = rows;
  assert.ok(ids);
  return ids;
}

/** Rows alone, for a list that has more than one page. */
async function copyRuntime({ database: { pool } }: World, copies: number): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
      where table_schema = 'broker' and table_name = 'instances' and is_generated = 'NEVER' and is_identity = 'NO'`,
  );
  const columns = rows.map(({ name }) => name);
  await pool.query(
    `insert into broker.instances (${columns.join(', ')})
     select ${columns.map((name) => `copy.${name}`).join(', ')}
       from (select * from broker.instances order by created_at limit 1) as i, generate_series(1, $1) as n,
            jsonb_populate_record(null::broker.instances, to_jsonb(i) || jsonb_build_object(
              'id', 'copy-' || n, 'shoot_name', 'copy-' || n, 'runtime_id', null, 'created_at', now() + n * interval '1 ms'))
              as copy`,
    [copies],
  );
}
