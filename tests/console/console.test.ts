// The console as people use it: in a real browser, with the whole product behind it. Every page, and whatever acts on it. It is
// long because it is one story: each world costs seconds, and what one test has ordered the next one looks at.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../../src/database/testing.ts';
import { catalog } from '../../src/broker/plans/testing.ts';
import { fullOrder, labels } from './order-form.ts';
import { copyRuntime, storeLongOperation } from './stored-rows.ts';
import { violationsIn } from './violations.ts';
import { cannotRun, openTab, signIn, startWorld, untilLoaded, type World } from './world.ts';

describe('the console', { skip: cannotRun }, () => {
  let world: World;
  let page: Page;
  let complaints: string[];
  let customer: Awaited<ReturnType<typeof openTab>>;
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
  /** As a link would: nothing is loaded again. */
  const go = (path: string) =>
    page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
  const facts = () => page.getByRole('region', { name: 'Facts' });
  const operation = () => page.getByRole('region', { name: 'Operation', exact: true });
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const inDialog = async (name: string) => {
    await dialog().getByRole('button', { name, exact: true }).click();
  };
  const idInAddress = () => new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const operationsOf = async (id: string) =>
    (await world.call<{ data: Told[] }>('GET', `/runtimes/${id}/operations`)).data;
  const landscape = async <Answer>(path: string) =>
    (await (await fetch(world.landscape + path)).json()) as Answer; // src/landscape/steer.ts

  const order = async (name: string) => {
    await go('/ui/order?plan=azure');
    await page.getByLabel('Cluster Name').fill(name);
    await button('Order').click();
    await heading(name).waitFor();
    return idInAddress();
  };
  const fault = async (system: string, what: string) => {
    await go('/ui/landscape');
    await page.getByLabel('System').selectOption(system);
    await page.getByLabel('What goes wrong').selectOption({ label: what });
    await button('Switch on').click();
    await page.getByRole('list', { name: 'Active faults' }).getByText(system).waitFor();
  };
  const noFaults = async () => {
    await go('/ui/landscape');
    await button(/^Switch off/).click();
    await page.getByText('Everything works.').waitFor();
  };

  const ids = { first: '', second: '', third: '', fifth: '', orchestration: '' };

  test('nobody sees anything before they sign in; one click, and they are where they wanted to be', async () => {
    await open('/ui/fleet?range=7d');
    await button(/^Ada Admin/).waitFor();
    assert.equal(await page.getByRole('navigation').count(), 0);
    assert.deepEqual(await violationsIn(page), []);
    await signIn(page, `${world.broker}/ui/fleet?range=7d`);
    await heading('Fleet').waitFor();
    assert.equal(new URL(page.url()).search, '?range=7d');
  });

  test('before the first order the list says that it is empty, and offers one', async () => {
    await open('/');
    await heading('Runtimes').waitFor();
    assert.equal(new URL(page.url()).pathname, '/ui/runtimes');
    await page.getByText('There is no runtime yet').waitFor();
    await link('Order a runtime').click();
    await heading('Order a runtime').waitFor();
  });

  test('what is wrong with an order is said beside its fields, by the form or by the broker', async () => {
    await go('/ui/order?plan=azure');
    const [name, most] = [page.getByLabel('Cluster Name'), page.getByLabel('Auto Scaler Max')];
    await most.fill('500');
    await button('Order').click();
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    const described = await name.getAttribute('aria-describedby');
    assert.match((await page.locator(`[id="${described}"]`).textContent()) ?? '', /needed/);
    await page.getByText('This must be at most 80.').waitFor();
    await name.fill('orders');
    await most.fill('3');
    await page.getByLabel('Auto Scaler Min').fill('9');
    await button('Order').click();
    await page.getByRole('alert').getByText(/min:9/).waitFor();
    assert.equal(await most.getAttribute('aria-invalid'), 'true');
  });

  test('the forms have a field for whatever a plan takes', async () => {
    const plans = page.getByLabel('Plan', { exact: true });
    const shownLabels = page.locator('form :is(label, summary)');
    for (const plan of await plans.locator('option').evaluateAll(valuesOf)) {
      await plans.selectOption(plan);
      const { shown, additional, hidden } = catalog.plans[plan]!.parameters.create;
      const there = (await shownLabels.allTextContents()).map((text) => text.replace(/ \*$/, ''));
      for (const name of [...shown, ...additional, ...hidden])
        assert.ok(there.includes(labels[name]), `${plan}: ${name} (${there.join(', ')})`);
    }
  });

  test('a runtime is ordered with everything that can be said, and watched to its success without another load', async () => {
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field('Plan').selectOption('azure');
    await field('Platform region').selectOption('cf-eu20');
    for (const name of ['Oidc', 'Networking', 'More parameters', 'Modules'])
      await page.locator('summary', { hasText: name }).click();
    await field('Global account *').fill('ga-first');
    await field('Subaccount *').fill('sa-first');
    await field('User *').fill('ann@example.com');
    await field('Cluster Name *').fill('first');
    for (const [label, text] of fullOrder.texts) await field(label).fill(text);
    for (const [label, choice] of fullOrder.choices) await field(label).selectOption(choice);
    await button('Add an entry').click();
    await button('Add an entry').click();
    await button('Remove entry 1').click();
    await field('Name *').fill('istio');
    await field('Custom Resource Policy').selectOption('Ignore');

    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await button('Order').click();
    const request = await sent;
    const { parameters, context } = request.postDataJSON() as Record<string, unknown>;
    assert.deepEqual(parameters, { name: 'first', ...fullOrder.parameters });
    assert.deepEqual(context, {
      globalaccount_id: 'ga-first',
      subaccount_id: 'sa-first',
      user_id: 'ann@example.com',
    });
    await heading('first').waitFor();
    ids.first = idInAddress();

    await page.evaluate('document.documentElement.id = "the same document"');
    await operation().getByText('in progress', { exact: true }).waitFor();
    await page.getByRole('status').getByText('live').waitFor();
    await facts().getByText('succeeded').waitFor();
    await operation().getByText('succeeded').first().waitFor();
    await page.getByRole('rowheader', { name: 'create_runtime', exact: true }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.id'), 'the same document');
    const runs = button('Runs of Check_Runtime');
    await runs.focus();
    await page.keyboard.press('Enter');
    assert.equal(await runs.getAttribute('aria-expanded'), 'true');
    await page.getByRole('rowheader', { name: /attempt \d+: done/ }).waitFor();
    assert.match((await link('Open').getAttribute('href')) ?? '', /^https:\/\/console\./);
  });

  test('the kubeconfig of a runtime is a file', async () => {
    const download = page.waitForEvent('download');
    await button('Kubeconfig').click();
    assert.equal((await download).suggestedFilename(), 'kubeconfig.yaml');
  });

  test('an update starts from what the runtime is, is refused if nothing changes, and reaches the cluster', async () => {
    await link('Update').click();
    await heading('Update the runtime').waitFor();
    assert.equal(await page.getByLabel('Max Surge').inputValue(), '1');
    await link('Leave it as it is').click();
    await heading('first').waitFor();
    await link('Update').click();
    await button('Update').click();
    await page.getByRole('alert').getByText('Nothing has changed').waitFor();
    await page.getByLabel('Auto Scaler Max').fill('12');
    await page.getByLabel('Max Surge').fill('2');
    await button('Update').click();
    await heading('first').waitFor();
    const newest = page.getByRole('listitem').filter({ hasText: 'update' }).first();
    await newest.getByText('succeeded').waitFor();
    const [worker] = (await shoot(world)).spec.provider.workers;
    assert.deepEqual([worker?.maximum, worker?.maxSurge], [12, 2]);
    await page.getByRole('listitem').filter({ hasText: 'provision' }).getByRole('link').click();
    await operation().getByRole('heading', { name: 'provision' }).waitFor();
  });

  test('the list is searched, filtered and sorted by its address, and learns of new runtimes by itself', async () => {
    await go('/ui/runtimes');
    const row = (name: string) => page.getByRole('rowheader', { name });
    const nothing = page.getByText('No runtime matches these filters');
    await row('first').waitFor();
    await page.getByLabel('Search').fill('nothing like this');
    await nothing.waitFor();
    assert.match(page.url(), /search=nothing/);
    await page.getByLabel('Search').fill('fir');
    await row('first').waitFor();
    for (const [label, mine, other] of [
      ['State', 'succeeded', 'failed'],
      ['Plan', 'azure', 'aws'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).selectOption(other);
      await nothing.waitFor();
      await page.getByLabel(label, { exact: true }).selectOption(mine);
      await row('first').waitFor();
    }
    for (const [label, mine] of [
      ['Region', 'westeurope'],
      ['Global account', 'ga-first'],
    ] as const)
      for (const text of ['elsewhere', mine]) {
        await page.getByLabel(label).fill(text);
        await page.getByLabel(label).press('Enter');
        await (text === mine ? row('first') : nothing).waitFor();
      }
    for (const name of ['State', 'Plan', 'Region', 'Account', 'Shoot', 'Created', 'Changed']) {
      const column = page.getByRole('columnheader', { name });
      await column.getByRole('link').click();
      assert.equal(await column.getAttribute('aria-sort'), 'ascending');
    }
    await page.getByRole('columnheader', { name: 'Changed' }).getByRole('link').click();
    await page.waitForURL(/sort=-modifiedAt/);
    await row('first').waitFor();
    for (const name of ['Retrying now', 'Stuck', 'With residue']) {
      await link(name).click();
      await nothing.waitFor();
      assert.equal(await link(name).getAttribute('aria-current'), 'true');
    }
    await link('All').click();
    await row('first').waitFor();
    await link('Stuck').click();
    await link('Show all runtimes').click();
    await row('first').waitFor();
    assert.equal(new URL(page.url()).search, '');

    ids.second = crypto.randomUUID();
    await world.call('PUT', `${osb}/${ids.second}?accepts_incomplete=true`, {
      service_id: catalog.service.id,
      plan_id: catalog.plans['azure']!.id,
      context: { globalaccount_id: 'ga-demo', subaccount_id: 'sa-second', user_id: 'me' },
      parameters: { name: 'second' },
    });
    await page
      .getByRole('row', { name: /second/ })
      .getByText(/provisioning|succeeded/)
      .waitFor();
  });

  test('a timeline of ten thousand steps is drawn and scrolled without a freeze', async () => {
    const id = await storeLongOperation(world.database, 10_000);
    const longestBlock = async () => {
      await go('/ui/jobs');
      await page.evaluate(`globalThis.longest = 0;
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
        }).observe({ type: 'longtask' });`);
      await go(`/ui/operations/${id}`);
      const list = page.getByRole('rowgroup', { name: 'Stages and steps' });
      await page.getByText('10,000 records').waitFor();
      for (const part of [0.25, 0.5, 0.75, 1])
        await list.evaluate((element, share) => {
          element.scrollTop = element.scrollHeight * share;
        }, part);
      await page.getByRole('rowheader', { name: 'Step_10000' }).waitFor();
      assert.ok((await page.getByRole('rowheader').count()) < 60);
      return Number(await page.evaluate('globalThis.longest'));
    };
    // Others use the processor, too: what is the page's own fault happens each time.
    let longest = Infinity;
    for (let tries = 0; tries < 5 && longest >= 400; tries += 1) longest = await longestBlock();
    assert.ok(longest < 400, `the page stood still for ${longest} ms`);
  });

  test('a job is tried without changing anything, and tells what it would have done', async () => {
    await go('/ui/jobs');
    await button('Dry run of deprovision-retrigger').click();
    await link('deprovision-retrigger').click();
    const runs = page.getByRole('region', { name: 'Runs of deprovision-retrigger' });
    await runs.getByText(/by hand of admin, dry run/).waitFor();
    const { data } = await world.call<{ data: Told[] }>('GET', '/jobs/deprovision-retrigger/runs');
    assert.deepEqual(
      data.map(({ dryRun, by }) => [dryRun, by]),
      [[true, 'admin']],
    );
  });

  test('the landscape shows what exists, and changes its speed', async () => {
    await go('/ui/landscape');
    await page
      .getByText(/shoots\.core\.gardener\.cloud/)
      .first()
      .click();
    await page.getByText('"askedBy": "provisioner"').first().waitFor();
    for (const speed of ['1', '10', '40', '200', '1,000']) {
      await button(`${speed} ×`).click();
      await page.getByText(`${speed} simulated second`).waitFor();
      const { speed: told } = await landscape<{ speed: number }>('/_time');
      assert.equal(told, Number(speed.replace(',', '')));
    }
  });

  test('each kind of fault is switched on and off', async () => {
    const actions = async () =>
      (await landscape<{ fault: { action: object } }[]>('/_faults')).map(
        ({ fault: { action } }) => action,
      );
    await page.getByLabel('System').selectOption('lms');
    await page.getByLabel('Only for paths that match').fill('(');
    await button('Switch on').click();
    await page.getByRole('alert').getByText('Invalid regular expression').waitFor();
    await page.getByLabel('Only for paths that match').fill('^/nothing$');
    const kinds = page.getByLabel('What goes wrong');
    const all = await kinds.locator('option').evaluateAll(valuesOf);
    const active = page.getByRole('list', { name: 'Active faults' }).getByRole('listitem');
    for (const [index, kind] of all.entries()) {
      await kinds.selectOption(kind);
      await button('Switch on').click();
      await active.nth(index).getByText('for ^/nothing$').waitFor();
    }
    const plain = { body: '', headers: {} };
    assert.deepEqual(await actions(), [
      { kind: 'answer', status: 503, ...plain },
      { kind: 'answer', status: 429, ...plain },
      { kind: 'answer', status: 403, ...plain },
      { kind: 'delay', for: 3_000 },
      { kind: 'reset' },
      { kind: 'lost answer' },
      { kind: 'stuck' },
      { kind: 'state', state: 'Strange', field: 'state' },
    ]);
    for (let left = all.length - 1; left >= 0; left -= 1) {
      await active.first().getByRole('button').click();
      await active.nth(left).waitFor({ state: 'detached' });
      assert.equal((await actions()).length, left);
    }
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
    await go('/ui/runtimes');
    await eventually(async () => streams >= 2 && lists >= 2);
    await page.getByRole('status').getByText('live').waitFor();
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    await page.unroute('**/runtimes/stream');
  });

  test('what could not be loaded is said, and loaded by a click', async () => {
    await page.route('**/jobs', (route) => route.abort());
    await go('/ui/jobs');
    await page.getByRole('alert').getByText('No connection to the broker').waitFor();
    await page.unroute('**/jobs');
    await button('Try again').click();
    await link('deprovision-retrigger').waitFor();
  });

  test('links do not load the console again, and the title of the new page gets the focus', async () => {
    await page.evaluate('document.documentElement.id = "the same document"');
    await link('Kyma control plane').click();
    await heading('Runtimes').waitFor();
    await link('Fleet').click();
    await heading('Fleet').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Fleet');
    assert.equal(await page.title(), 'Fleet · Kyma control plane');
    await link('Skip to the content').press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    await link('Month').click();
    await page.waitForURL(/range=30d/);
    const slow = page.getByRole('rowheader', { name: /_/ });
    await slow.nth(19).waitFor();
    await button(/^Show more of/).click();
    await slow.nth(20).waitFor();
    await page.getByRole('link', { name: 'stuck' }).click();
    await page.waitForURL(/\/ui\/runtimes\?attention=stuck$/);
    await page.goBack();
    await heading('Fleet').waitFor();
    assert.equal(await page.evaluate('document.documentElement.id'), 'the same document');
    await go('/ui/no/such/page');
    await page.getByText('There is nothing at this address').waitFor();
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
    const menu = tab.page.getByRole('navigation', { name: 'Pages', exact: true });
    assert.deepEqual(await menu.getByRole('link').allTextContents(), [
      'Runtimes',
      'Fleet',
      'Orchestrations',
    ]);
  });

  test('a failure says whose it is and what to do; after the cause is gone a retry goes on', async () => {
    await go('/ui/runtimes'); // the fault must not hit what is still on its way
    await page
      .getByRole('row', { name: /second/ })
      .getByText('succeeded')
      .waitFor();
    await fault('gardener', 'refuses (403)');
    const id = await order('fourth');
    await facts().getByText('failed').waitFor();
    await operation().getByText('Error class').waitFor();
    await button('Kubeconfig').click();
    await dialog().getByText('There is no kubeconfig now').waitFor();
    await inDialog('Close');
    await go('/ui/fleet');
    const group = page.getByRole('row').filter({ has: page.locator(`a[href$="${id}"]`) });
    await group.locator('summary').click();
    await group.getByRole('link', { name: id }).waitFor();
    await noFaults();
    await go(`/ui/runtimes/${id}`);
    await operation().getByRole('button', { name: 'Retry' }).click();
    await inDialog('Do it');
    await facts().getByText('succeeded').waitFor();
    assert.equal((await operationsOf(id))[0]?.state, 'succeeded');
  });

  test('a runtime is deleted by whoever types its name; what is left of it, a job removes', async () => {
    await fault('edp', 'refuses (403)');
    await go(`/ui/runtimes/${ids.second}`);
    await button('Delete').click();
    await inDialog('Keep it');
    await dialog().waitFor({ state: 'detached' });
    await button('Delete').click();
    await inDialog('Delete');
    await dialog().getByText('Type second to confirm.').waitFor();
    await dialog().getByLabel('Type second').fill('second');
    await inDialog('Delete');
    await operation().getByText('deprovision').waitFor();
    await operation().getByText('Not completed').waitFor();
    await noFaults();
    await go('/ui/runtimes?attention=residue');
    await page.getByRole('rowheader', { name: 'second' }).waitFor();
    await go('/ui/jobs?job=deprovision-retrigger');
    await button('Run deprovision-retrigger').click();
    const run = page
      .getByRole('region', { name: 'Runs of deprovision-retrigger' })
      .getByRole('group')
      .filter({ hasText: '1 accepted' });
    await run.locator('summary').click();
    await run.getByText(`${ids.second} accepted: EDP_Deregistration`).waitFor();
    await go(`/ui/runtimes/${ids.second}`);
    await page.getByText('This runtime does not exist any more').waitFor();
    await operation().getByText('deprovision').waitFor();
    assert.equal(await button('Delete').count(), 0);
  });

  test('a system that is away is named where it hurts: what waits for it, why, and until when', async () => {
    await fault('gardener', 'unavailable (503)');
    ids.third = await order('third');
    const panel = operation().getByRole('status');
    await panel
      .getByText(/gardener/)
      .first()
      .waitFor();
    await panel.getByText('Next try').waitFor();
    await panel.getByText('Attempt').waitFor();
    await panel.getByText('What to do:').waitFor();
    await go('/ui/fleet');
    await page.getByRole('link', { name: 'retrying' }).click();
    await page.getByRole('link', { name: 'third' }).click();
  });

  test('everybody is offered what their groups and scopes allow, until they sign out', async () => {
    customer = await openTab(world.browser);
    const { page: other } = customer;
    await other.goto(`${world.broker}/ui/`);
    const links = other.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link');
    const offered = {
      'Otto Operator': ['Runtimes', 'Fleet', 'Orchestrations', 'Jobs', 'Landscape'],
      'Olga Orchestrator': ['Orchestrations', 'Landscape'],
      'Gina Guest': ['Landscape'],
      'Carl Customer': ['Order', 'Landscape'],
    };
    for (const [user, menu] of Object.entries(offered)) {
      await other.getByRole('button', { name: user }).click();
      await links.first().waitFor();
      assert.deepEqual(await links.allTextContents(), menu, user);
      assert.equal(await other.getByRole('button', { name: 'Delete' }).count(), 0);
      if (user !== 'Carl Customer') await other.getByRole('button', { name: 'Sign out' }).click();
    }
    await other.getByLabel('Plan').selectOption('azure');
    await other.getByLabel('Cluster Name').fill('fifth');
    await other.getByRole('button', { name: 'Order', exact: true }).click();
    await other.getByText('in progress', { exact: true }).waitFor();
    ids.fifth = new URL(other.url()).pathname.split('/').at(-1) ?? '';
  });

  test('an operator learns what an action would do, and then does it', async () => {
    await operation().getByRole('button', { name: 'Try now' }).click();
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await operation().getByRole('button', { name: 'Try now' }).click();
    await eventually(async () => {
      const tried = page.waitForResponse(/\/retry$/);
      await inDialog('Do it');
      return (await tried).status() === 202; // while it is being tried it is not tried again
    });
    await dialog().waitFor({ state: 'detached' });

    await operation().getByRole('button', { name: 'Skip a step' }).click();
    await inDialog('Do it');
    await dialog().getByText('Say why').waitFor();
    await dialog().getByLabel('Reason').fill('nobody is billed here');
    await dialog().getByLabel('Step').selectOption('EDP_Registration');
    await inDialog('Dry run');
    await dialog().getByText('What would happen').waitFor();
    await inDialog('Do it');
    await dialog().waitFor({ state: 'detached' });

    await go(`/ui/runtimes/${ids.fifth}`);
    await operation().getByRole('button', { name: 'Skip a step' }).click();
    await dialog().getByLabel('Step').selectOption('AVS_Create_External_Eval_Step');
    await dialog().getByLabel('Reason').fill('a mistake');
    await inDialog('Do it');
    const afterAll = operation().getByRole('button', { name: 'Do it after all' });
    await afterAll.click();
    assert.equal(await dialog().getByLabel('Step').inputValue(), 'AVS_Create_External_Eval_Step');
    await inDialog('Do it');
    await afterAll.waitFor({ state: 'detached' });

    await operation().getByRole('button', { name: 'Cancel' }).click();
    await inDialog('Close');
    await operation().getByRole('button', { name: 'Cancel' }).click();
    await dialog().getByLabel('Reason').fill('a test');
    await inDialog('Do it');
    await operation().getByText('canceled', { exact: true }).first().waitFor();
    assert.equal((await operationsOf(ids.fifth))[0]?.state, 'canceled');
    await noFaults();

    await go(`/ui/runtimes/${ids.third}`);
    await facts().getByText('succeeded').waitFor();
    await operation().getByText('nobody is billed here').first().waitFor();
  });

  test('customers see how far their runtime is, update and delete it', async () => {
    const { page: other } = customer;
    await other.reload();
    await other.getByText('failed', { exact: true }).waitFor();
    await other.getByRole('button', { name: 'Delete' }).click();
    await other.getByLabel('Type fifth').fill('fifth');
    await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await operationsOf(ids.fifth))[0]?.type, 'deprovision');

    await other.goto(`${world.broker}/ui/runtimes/${ids.first}`);
    await other.getByRole('region', { name: 'Facts' }).getByText('first').waitFor();
    await other.getByRole('link', { name: 'Update' }).click();
    await other.getByLabel('Auto Scaler Max').fill('15');
    await other.getByRole('button', { name: 'Update' }).click();
    await other.getByRole('heading', { name: 'Your runtime' }).waitFor();
    await eventually(async () => (await operationsOf(ids.first))[0]?.state === 'succeeded');
    const { parameters } = await world.call<{ parameters: { parameters: object } }>(
      'GET',
      `${osb}/${ids.first}`,
    );
    assert.deepEqual({ ...parameters.parameters, autoScalerMax: 15 }, parameters.parameters);

    assert.deepEqual(customer.complaints, []);
  });

  const progress = () => page.getByRole('region', { name: 'Progress' });
  const steer = async (name: string) => {
    await button(name).click();
    await inDialog('Do it');
    await dialog().waitFor({ state: 'detached' });
  };

  test('an orchestration is previewed, begun, paused, resumed and canceled', async () => {
    await go('/ui/orchestrations');
    await page.getByText('No orchestration yet').waitFor();
    await link('Upgrade many runtimes').click();
    const waves = page.getByLabel('Waves', { exact: true });
    const preview = button('Show matching runtimes');
    await waves.fill('one');
    await preview.click();
    await page.getByText('Numbers or percentages').waitFor();
    await waves.fill('1');
    await page.getByLabel('Pause between waves').fill('24h');
    await preview.click();
    await page.getByRole('heading', { name: '3 runtimes match' }).waitFor();
    await button('Begin').click();
    await heading('upgradeKyma').waitFor();
    await progress().getByText('1 succeeded').waitFor();
    await progress().getByText('0 of 0 failures used').waitFor();
    await progress().getByText('Wave 1: 1 of 1').waitFor();
    await button('Pause').click();
    await inDialog('Close');
    await steer('Pause');
    await progress().getByText('paused', { exact: true }).waitFor();
    await steer('Resume');
    await progress().getByText('in progress', { exact: true }).waitFor();
    await steer('Cancel');
    await progress().getByText('canceled', { exact: true }).first().waitFor();
    ids.orchestration = idInAddress();
    const { state } = await world.call<Told>('GET', `/orchestrations/${ids.orchestration}`);
    assert.equal(state, 'canceled');
    await page
      .getByRole('row')
      .filter({ hasText: 'succeeded' })
      .getByRole('rowheader')
      .getByRole('link')
      .click();
    await operation().getByRole('heading', { name: 'upgradeKyma' }).waitFor();
  });

  test('what an orchestration is to do, and how carefully, is what the form says', async () => {
    await go('/ui/orchestrations/new');
    await page.getByLabel('What').selectOption('cluster');
    await page.getByLabel('Plan', { exact: true }).selectOption('azure');
    for (const [label, text] of [
      ['To version', '1.27.1'],
      ['Region', 'europe|eastus'],
      ['Global account', 'ga-.*'],
      ['But not of account', 'ga-demo'],
      ['At the same time', '2'],
      ['Waves', '50%'],
      ['Pause between waves', '1s'],
      ['Error budget', '10%'],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(/maintenance windows/).check();
    await page.getByLabel(/^Dry run/).check();
    const asked = page.waitForRequest(/preview=true/);
    await button('Show matching runtimes').click();
    assert.deepEqual((await asked).postDataJSON(), {
      targets: {
        include: [{ planName: 'azure', region: 'europe|eastus', globalAccount: 'ga-.*' }],
        exclude: [{ globalAccount: 'ga-demo' }],
      },
      strategy: {
        type: 'parallel',
        schedule: 'now',
        maintenanceWindow: true,
        parallel: { workers: 2 },
        waves: [{ percent: 50 }],
        waveSoak: '1s',
        errorBudget: { percent: 10 },
      },
      kubernetes: { kubernetesVersion: '1.27.1' },
      dryRun: true,
    });
    await page.getByRole('heading', { name: '1 runtime matches' }).waitFor();
    await page.getByLabel(/maintenance windows/).uncheck();
    await button('Begin').click();
    await heading('upgradeCluster').waitFor();
    await progress().getByText('yes: nothing is changed').waitFor();
    await progress().getByText('1 succeeded').waitFor();
  });

  test('a failed upgrade pauses its orchestration, which says why, and is retried', async () => {
    await fault('reconciler', 'refuses (403)');
    await go('/ui/orchestrations/new');
    await page.getByLabel('Error budget').fill('0');
    await button('Begin').click();
    await progress()
      .getByText(/ [1-3] failed,/)
      .waitFor();
    await progress().getByText('What has failed').waitFor();
    await progress().locator('summary').first().click();
    await progress().getByRole('link').first().waitFor();
    await noFaults();
    await go('/ui/orchestrations');
    await link('upgradeKyma').first().click();
    await steer('Retry failed');
    await progress().getByText('3 succeeded, 0 failed').waitFor();
  });

  test('colours are those of the system, or those that somebody has chosen, and stay so', async () => {
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [light, dark] = ['rgb(246, 247, 249)', 'rgb(18, 23, 29)'];
    const colours = page.getByRole('button', { name: /^Colours/ });
    const choose = async (name: string) => {
      await colours.click();
      await page.getByRole('button', { name: `Colours: ${name}` }).waitFor();
    };
    await go('/ui/runtimes');
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
    for (const path of [
      '/ui/runtimes',
      `/ui/runtimes/${ids.first}`,
      `/ui/runtimes/${ids.first}/update`,
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
            await go(path);
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

  test('on a phone the menu is behind a button, and closes by itself', async () => {
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    await page.setViewportSize({ width: 380, height: 800 });
    assert.equal(await menu.isVisible(), false);
    await button('Menu').click();
    await menu.getByRole('link', { name: 'Fleet' }).click();
    await heading('Fleet').waitFor();
    await menu.waitFor({ state: 'hidden' });
  });

  test('each page of a long list has an address', async () => {
    await copyRuntime(world.database, 120);
    await go('/ui/runtimes?sort=createdAt');
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
    await link('First').click();
    await page.getByText('Page 1 of 3').waitFor();
  });

  test('no script has failed, and the content security policy had nothing to refuse', () => {
    assert.deepEqual(complaints, []);
  });
});

const osb = '/oauth/cf-eu20/v2/service_instances';

/** As far as it is looked at here. */
type Told = {
  readonly state: string;
  readonly type: string;
  readonly dryRun?: boolean;
  readonly by?: string;
};

const valuesOf = (options: readonly { readonly value?: string }[]) =>
  options.map(({ value = '' }) => value);

type Shoot = {
  readonly spec: { readonly provider: { readonly workers: readonly Worker[] } };
};
type Worker = { readonly maximum: number; readonly maxSurge: number };

/** The first one, as Gardener has it. */
async function shoot(world: World): Promise<Shoot> {
  const kubeconfig = await (await fetch(`${world.landscape}/gardener/kubeconfig`)).text();
  const token = /token: (\S+)/.exec(kubeconfig)?.[1];
  const path = '/gardener/apis/core.gardener.cloud/v1beta1/namespaces/garden-kyma/shoots';
  const response = await fetch(world.landscape + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { items } = (await response.json()) as { items: Shoot[] };
  const [first] = items;
  assert.ok(first);
  return first;
}
