import assert from 'node:assert/strict';
import { days, hours } from '#time';
import { removed } from '../../src/broker/operations/testing.ts';
import { of, seed, startFleet, timesUpgraded, withRuntimes } from '../fleet/fleet-world.ts';
import type { FleetWorld } from '../fleet/fleet-world.ts';
import { checkEveryStep } from './harness.ts';
import type { Exemption, Played, Scenario } from './play.ts';

// The same in every run, and with them the order in which runtimes have their turn.
const ids = ['first', 'second', 'third'].map((name) => `${name}-of-the-fleet`);
const account = 'every-step';

/** Opens a broker with a few runtimes, and removes them in the end. */
const fleet: Pick<Scenario<FleetWorld>, 'open' | 'ignored' | 'drawn' | 'remove'> = {
  open: (disturb) =>
    startFleet({ disturb, off: ['edp', 'ias', 'avs', 'reconciler', 'lifecycleManager'] }),
  // What the provisioner did and what customers were told stays on record; both are looked at.
  ignored: [
    'resourceVersion',
    'operations',
    'updatedAt',
    'spc',
    'createdAt',
    'startedAt',
    'endedAt',
  ],
  drawn: /\b[a-f][0-9a-f]{6}\b/g,
  async remove(world) {
    for (const id of ids) {
      if (!(await world.instance(id))) continue;
      assert.equal((await removed(world, id)).ended.description, 'succeeded');
    }
  },
};

const runtimesOf = async (world: FleetWorld, plan: string) => {
  await seed(
    world,
    ids.map((id) => ({ id, shoot: id, plan, account, runtimeId: null })),
  );
  await withRuntimes(world, ids);
};

/** SPC knows no key, and cannot be asked whom it has told. */
const someHearTwice: Exemption = {
  lostAnswersOf: /of spc POST \/createMaintenanceEvent /,
  because:
    'each lost answer has the customers of one announcement told once more, and nothing else',
  check(played, expected, lost) {
    assert.equal(lost, 1);
    const timesTold = ({ end }: Played) =>
      (end as { details: { told: { announced: number }[] } }).details.told.map(
        ({ announced }) => announced,
      ); // as it is looked at below
    assert.deepEqual(timesTold(played), [2, 2, 2]);
    const toldOnce = ({ end }: Played) =>
      JSON.parse(JSON.stringify(end), (key, value: unknown) =>
        key === 'announced' ? 1 : value,
      ) as unknown;
    assert.deepEqual(toldOnce(played), toldOnce(expected));
    assert.deepEqual(played.left, played.untouched);
  },
};

const orchestration = {
  ...fleet,
  operation: 'orchestration',
  exemptions: [someHearTwice],
  prepare: (world: FleetWorld) => runtimesOf(world, 'azure'),
  async look(world: FleetWorld) {
    const { body } = await world.call('GET', '/orchestrations');
    const [status = assert.fail()] = body['data'] as { orchestrationID: string }[]; // the only one
    const times = await timesUpgraded(world);
    const upgrades = await world.operations(status.orchestrationID);
    const [event] = (world.landscape.inventory()['spc']?.['maintenanceEvents'] ?? []) as {
      tenants: { instanceId: string; announced: number; eventState?: string }[];
      isCanceled: boolean;
    }[]; // as SPC lists them
    return {
      status,
      upgrades: upgrades.map(({ instanceID, state, wave, attempt, notificationState }) => ({
        instanceID,
        state,
        wave,
        attempt,
        notificationState,
      })),
      times: ids.map((id) => times.get(id) ?? 0),
      isCanceled: event?.isCanceled,
      told: event?.tenants
        .map(({ instanceId, announced, eventState }) => ({ instanceId, announced, eventState }))
        .toSorted((a, b) => (a.instanceId < b.instanceId ? -1 : 1)),
    };
  },
} as const;

async function orderedIn(world: FleetWorld, time: number) {
  const now = await world.services.fleet.orchestrations.now(world.database.pool);
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    strategy: {
      schedule: new Date(now.getTime() + time).toISOString(),
      parallel: { workers: 2 },
      waves: [{ size: 1 }],
      waveSoak: '10m',
    },
    notification: true,
    kubernetes: { kubernetesVersion: '1.27.4' },
  });
  return { id, operationId: (await world.status(id)).operationID };
}

const orchestrations: Scenario<FleetWorld>[] = [
  {
    name: 'orchestration of three runtimes in two waves',
    ...orchestration,
    begin: async (world) => (await orderedIn(world, hours(1))).operationId,
  },
  {
    name: 'orchestration that is canceled before its time',
    ...orchestration,
    async begin(world) {
      const { id, operationId } = await orderedIn(world, days(1));
      await world.until(id, /^it is scheduled for/);
      await world.put(id, 'cancel');
      return operationId;
    },
  },
];

const jobs: Scenario<FleetWorld>[] = [
  {
    name: 'run of the job trial-expiration',
    ...fleet,
    operation: 'job',
    prepare: (world) => runtimesOf(world, 'trial'),
    async begin({ jobs, advance }) {
      advance(days(15));
      return jobs.start(jobs.find('trial-expiration') ?? assert.fail());
    },
    async look({ database: { pool }, jobs, engine }) {
      await jobs.runs.settle(pool);
      const { rows } = await pool.query<{ id: string }>(
        `select id from operations where type = 'job'`,
      );
      const run = (await jobs.runs.get(pool, rows[0]?.id ?? '')) ?? assert.fail();
      const { state, summary, counts, entries } = run;
      const operations = await Promise.all(ids.map((id) => engine.ofSubject(id)));
      return {
        runs: rows.length,
        run: { state, summary, counts, entries },
        operations: operations.map((all) => all.map((each) => [each.type, each.state])),
      };
    },
  },
];

checkEveryStep(orchestrations, {
  callers: ['broker'],
  systems: ['spc'], // the other calls are those of the upgrades, which have scenarios of their own
  brokenCalls: 6,
  operations: ['orchestration'],
});
// It makes no call itself: those of the operations that it begins have scenarios of their own.
checkEveryStep(jobs, { callers: [], brokenCalls: 0, operations: ['job'] });
