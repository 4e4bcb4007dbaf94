import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Explanation, StoredOperation } from '#engine';
import { hours, minutes, seconds } from '#time';
import { defaultBrokerLimits } from '#broker';
import { btpCredentials, startBroker } from '../src/broker/testing.ts';

type World = Awaited<ReturnType<typeof startBroker>>;
type Fault = Parameters<World['landscape']['faults']['add']>[0];
type Key = { readonly system?: string; readonly class?: string; readonly action: string };

let world: World;
before(async () => {
  // Waits last over an hour here, and not much longer.
  const limits = { ...defaultBrokerLimits, provisioning: minutes(75) };
  world = await startBroker({ limits: { timeout: seconds(3) }, settings: { limits } });
});
after(() => world[Symbol.asyncDispose]());

const answer = (status: number, body = '', headers: Record<string, string> = {}) =>
  ({ kind: 'answer', status, body, headers }) as const;
const page = answer(200, '<html>maintenance</html>');
const reset = { kind: 'reset' } as const;

const byItself = (remedy: string) =>
  `nothing for now, it is tried again by itself; if it lasts, ${remedy}`;
const byHand = (remedy: string) => `${remedy}; then retry the operation`;
const fails = (system: string) => `ask the owners of ${system} why it fails`;
const isReachable = (system: string) => `see whether ${system} can be reached from here`;
const whoAnswers = (system: string) => `ask the owners of ${system} what answers in its place`;
const renew = (system: string) => `renew the credentials or rights with which we call ${system}`;
const report = (system: string) =>
  `report to the developers of this service that ${system} refuses what we send`;
const slow = (system: string) => `ask the owners of ${system} why it takes so long`;
const fewer = (system: string) =>
  `nothing: ${system} wants fewer calls, and it is tried again by itself`;

const wrong = 'system';
const ours = 'us';

/** When to look: after a try has failed, when all is over, or when a wait has lasted too long. */
type Moment = 'retrying' | 'failed' | 'late';
const isReached: Readonly<Record<Moment, (operation: StoredOperation) => boolean>> = {
  retrying: ({ error, ended_at }) => error !== null && ended_at === null,
  failed: () => false,
  late: ({ waiting_since, due_at }) =>
    waiting_since !== null && due_at !== null && +due_at - +waiting_since > hours(1) + minutes(1),
};

const tenants = { path: '^/namespaces/.*/dataTenants' };
const evaluations = { method: 'POST', path: '^/api/v2/evaluationmetadata' };
const asked = { field: 'provisionRuntime' };
const looked = { field: 'runtimeOperationStatus' };
const pool = { path: 'secretbindings' };
const status = { path: '^/v1/clusters/.*/status' };
const kymas = { path: '/kymas' };

/** Thirty faults, and beside each what the explanation must say. */
// prettier-ignore
const faults: readonly (readonly [string, Moment, Fault['system'], Partial<Fault>, Key])[] = [
  ['EDP answers 500', 'retrying', 'edp', { ...tenants, action: answer(500) }, { system: 'edp', class: wrong, action: byItself(fails('edp')) }],
  ['EDP asks for fewer calls', 'retrying', 'edp', { ...tenants, action: answer(429, '', { 'retry-after': '7' }) }, { system: 'edp', class: wrong, action: fewer('edp') }],
  ['EDP refuses our credentials', 'failed', 'edp', { ...tenants, action: answer(403) }, { system: 'edp', class: ours, action: byHand(renew('edp')) }],
  ['EDP refuses what we send', 'failed', 'edp', { ...tenants, action: answer(422) }, { system: 'edp', class: ours, action: byHand(report('edp')) }],
  ['EDP breaks connections', 'retrying', 'edp', { ...tenants, action: reset }, { system: 'edp', class: wrong, action: byItself(isReachable('edp')) }],
  ['EDP does not answer in time', 'retrying', 'edp', { ...tenants, action: { kind: 'delay', for: 4_000 } }, { system: 'edp', class: wrong, action: byItself(isReachable('edp')) }],
  ['AvS answers 503', 'retrying', 'avs', { ...evaluations, action: answer(503) }, { system: 'avs', class: wrong, action: byItself(fails('avs')) }],
  ['AvS gives no token', 'retrying', 'avs', { path: '^/oauth/token', action: answer(403) }, { system: 'avs', class: ours, action: byItself(renew('avs')) }],
  ['a web page answers for AvS', 'retrying', 'avs', { ...evaluations, action: page }, { system: 'avs', class: wrong, action: byItself(whoAnswers('avs')) }],
  ['AvS refuses what we send', 'failed', 'avs', { ...evaluations, action: answer(400) }, { system: 'avs', class: ours, action: byHand(report('avs')) }],
  ['Gardener answers 500', 'retrying', 'gardener', { ...pool, action: answer(500) }, { system: 'gardener', class: wrong, action: byItself(fails('gardener')) }],
  ['Gardener refuses our credentials', 'failed', 'gardener', { ...pool, action: answer(401) }, { system: 'gardener', class: ours, action: byHand(renew('gardener')) }],
  ['Gardener never comes back', 'failed', 'gardener', { ...pool, action: answer(503) }, { system: 'gardener', class: wrong, action: byHand(fails('gardener')) }],
  ['Gardener asks for fewer calls', 'retrying', 'gardener', { ...pool, action: answer(429) }, { system: 'gardener', class: wrong, action: fewer('gardener') }],
  ['Gardener breaks connections', 'retrying', 'gardener', { ...pool, action: reset }, { system: 'gardener', class: wrong, action: byItself(isReachable('gardener')) }],
  ['the provisioner answers 502', 'retrying', 'provisioner', { ...asked, action: answer(502) }, { system: 'provisioner', class: wrong, action: byItself(fails('provisioner')) }],
  ['the provisioner breaks connections', 'retrying', 'provisioner', { ...asked, action: reset }, { system: 'provisioner', class: wrong, action: byItself(isReachable('provisioner')) }],
  ['the provisioner refuses our token', 'retrying', 'provisioner', { ...asked, action: answer(401) }, { system: 'provisioner', class: ours, action: byItself(renew('provisioner')) }],
  ['a web page answers for the provisioner', 'retrying', 'provisioner', { ...asked, action: page }, { system: 'provisioner', class: wrong, action: byItself(whoAnswers('provisioner')) }],
  ['the provisioner does not get on', 'late', 'provisioner', { ...looked, action: { kind: 'stuck' } }, { system: 'provisioner', class: wrong, action: slow('provisioner') }],
  ['the provisioner never gets on', 'failed', 'provisioner', { ...looked, action: { kind: 'stuck' } }, { system: 'provisioner', class: wrong, action: byHand(slow('provisioner')) }],
  ['the provisioner tells a state that nobody knows', 'late', 'provisioner', { ...looked, action: { kind: 'state', state: 'Meditating' } }, { system: 'provisioner', class: wrong, action: slow('provisioner') }],
  ['the provisioner says that it failed', 'failed', 'provisioner', { ...looked, action: { kind: 'state', state: 'Failed' } }, { system: 'provisioner', class: wrong, action: byHand('ask the owners of provisioner about it') }],
  ['the Reconciler answers 500', 'retrying', 'reconciler', { method: 'POST', action: answer(500) }, { system: 'reconciler', class: wrong, action: byItself(fails('reconciler')) }],
  ['the Reconciler does not get on', 'late', 'reconciler', { ...status, action: { kind: 'state', field: 'status', state: 'reconciling' } }, { system: 'reconciler', class: wrong, action: slow('reconciler') }],
  ['the Reconciler says that it failed', 'failed', 'reconciler', { ...status, action: { kind: 'state', field: 'status', state: 'error' } }, { system: 'reconciler', class: wrong, action: byHand('ask the owners of reconciler about it') }],
  ['the control plane answers 503 for Kyma resources', 'retrying', 'control-plane', { ...kymas, action: answer(503) }, { system: 'lifecycle-manager', class: wrong, action: byItself(fails('lifecycle-manager')) }],
  ['we may not write Kyma resources', 'failed', 'control-plane', { ...kymas, action: answer(403) }, { system: 'lifecycle-manager', class: ours, action: byHand(renew('lifecycle-manager')) }],
  ['no release can be downloaded', 'retrying', 'artifacts', { action: answer(500) }, { system: 'artifacts', class: wrong, action: byItself(fails('artifacts')) }],
  ['the cluster does not answer', 'retrying', 'provisioner', { path: '^/clusters/', action: reset }, { system: 'runtime-cluster', class: wrong, action: byItself(isReachable('runtime-cluster')) }],
];

for (const [what, moment, system, fault, key] of faults)
  test(`${what}: an operation that is ${moment} names system, class and action`, async () => {
    const id = world.landscape.faults.add({ system, ...fault } as Fault);
    const context = { sm_operator_credentials: btpCredentials() };
    const { operationId } = await world.order('azure', { context });
    const operation = await world.pass(operationId, isReached[moment]);
    world.landscape.faults.remove(id);
    const explained: Explanation = world.engine.explain(operation);
    const { summary } = explained;
    const { system: named, class: whose, action } = explained;
    assert.equal(operation.state, moment === 'failed' ? 'failed' : 'in progress', summary);
    assert.deepEqual({ system: named, class: whose, action }, key, summary);
    await world.engine.cancel(operationId, 'the test is over');
  });

test('there are thirty faults, of all kinds and of all systems that a provisioning needs', () => {
  assert.ok(faults.length >= 30);
  assert.equal(new Set(faults.map(([what]) => what)).size, faults.length);
});
