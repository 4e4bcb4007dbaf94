import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes, seconds } from '#time';
import type { AgentConnection } from './runtime-agent.ts';
import { kyma, signal, startRuntime, until, type Runtime } from './testing.ts';

const tenant = 'ga-1';

/** Director knows the runtime from now on. Gives what its agent needs, each time with a new token. */
async function register({ director }: Runtime) {
  const labels = { gardenerClusterDomain: 'a.kyma.example.com' };
  const id = await director.registerRuntime(tenant, { name: 'a', labels }, signal);
  return async () => {
    const { token, connectorURL } = await director.requestOneTimeToken(tenant, id, signal);
    return { CONNECTOR_URL: connectorURL, RUNTIME_ID: id, TENANT: tenant, TOKEN: token };
  };
}

const connectionOf = ({ installer }: Runtime) => installer.agent.connection(signal);
const untilState = (runtime: Runtime, state: AgentConnection['state']) =>
  until(
    () => connectionOf(runtime),
    (connection) => connection.state === state,
  );
const directorKnows = ({ landscape }: Runtime) => landscape.inventory()['director']?.['runtimes'];
const tries = ({ landscape }: Runtime) =>
  landscape.requests.filter(({ path }) => path === '/connector/graphql').length;

test('with its Secret the agent connects, and Director learns where the runtime is', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  assert.deepEqual(await connectionOf(runtime), { state: 'absent' });
  await runtime.writeAgentSecret(await newSecret());
  assert.deepEqual(await connectionOf(runtime), { state: 'absent' });
  assert.partialDeepStrictEqual(directorKnows(runtime), [{ condition: 'INITIAL' }]);
  runtime.landscape.time.advance(seconds(11));
  const connection = await untilState(runtime, 'connected');
  assert.deepEqual(connection, { state: 'connected', reported: 'Synchronized' });
  assert.partialDeepStrictEqual(directorKnows(runtime), [
    {
      condition: 'CONNECTED',
      labels: {
        runtime_consoleUrl: 'https://console.a.kyma.example.com',
        runtime_eventServiceUrl: 'https://gateway.a.kyma.example.com',
      },
    },
  ]);
  assert.equal(tries(runtime), 1);
});

test('on a cluster with Kyma 1 the agent connects once its component is installed', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const { installation } = runtime.installer;
  const { time } = runtime.landscape;
  await installation.applyInstaller(
    await runtime.artifacts.installerYaml(kyma.version, signal),
    signal,
  );
  await installation.install(kyma, signal);
  await runtime.writeAgentSecret(await newSecret(), 'compass-system');
  time.advance(seconds(36)); // the first component is there, the agent is not
  assert.deepEqual(await connectionOf(runtime), { state: 'absent' });
  time.advance(minutes(2));
  assert.equal((await installation.state(signal)).state, 'Installed');
  await untilState(runtime, 'connected');
  await installation.uninstall(signal);
  time.advance(minutes(2));
  assert.deepEqual(await connectionOf(runtime), { state: 'absent' });
});

test('a token is good for one use', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const secret = await newSecret();
  const headers = { 'connector-token': secret.TOKEN, 'content-type': 'application/json' };
  const use = async () => {
    const body = '{"query":"query { result: configuration { token { token } } }"}';
    const response = await fetch(secret.CONNECTOR_URL, { method: 'POST', headers, body });
    return (await response.json()) as { errors?: { extensions: { error: string } }[] };
  };
  assert.equal((await use()).errors, undefined);
  assert.equal((await use()).errors?.[0]?.extensions.error, 'Unauthorized');
  await runtime.writeAgentSecret(secret);
  runtime.landscape.time.advance(seconds(11));
  const failed = await untilState(runtime, 'failed');
  assert.partialDeepStrictEqual(failed, { reported: 'ConnectionFailed' });
  assert.match(failed.state === 'failed' ? failed.error : '', /refused/);
});

test('a token that came too late is refused, and a new one mends it', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const late = await newSecret();
  runtime.landscape.time.advance(hours(2));
  await runtime.writeAgentSecret(late);
  runtime.landscape.time.advance(seconds(11));
  await untilState(runtime, 'failed');
  await runtime.writeAgentSecret(await newSecret());
  runtime.landscape.time.advance(seconds(11));
  await untilState(runtime, 'connected');
});

test('a token of a runtime that was unregistered is refused', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const secret = await newSecret();
  await runtime.director.unregisterRuntime(tenant, secret.RUNTIME_ID, signal);
  await runtime.writeAgentSecret(secret);
  runtime.landscape.time.advance(seconds(11));
  await untilState(runtime, 'failed');
});

test('a Secret without what the agent needs is told', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const { TOKEN: _token, ...others } = await newSecret();
  await runtime.writeAgentSecret(others);
  runtime.landscape.time.advance(seconds(11));
  const connection = await untilState(runtime, 'failed');
  assert.match(connection.state === 'failed' ? connection.error : '', /TOKEN/);
});

test('when nobody answers, the agent tries the same token again a little later', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const { faults, time } = runtime.landscape;
  faults.add({ system: 'director', path: 'connector', count: 1, action: { kind: 'reset' } });
  await runtime.writeAgentSecret(await newSecret());
  time.advance(seconds(11));
  const failed = await untilState(runtime, 'failed');
  assert.match(failed.state === 'failed' ? failed.error : '', /no answer/);
  time.advance(minutes(1));
  await untilState(runtime, 'connected');
});

test('an agent that is connected takes a new token when it is made to connect anew', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  const { agent } = runtime.installer;
  const { time } = runtime.landscape;
  assert.equal(await agent.connectAnew(signal), false);
  await runtime.writeAgentSecret(await newSecret());
  time.advance(seconds(11));
  await untilState(runtime, 'connected');
  await runtime.writeAgentSecret(await newSecret());
  assert.equal(await agent.connectAnew(signal), true);
  assert.deepEqual(await connectionOf(runtime), { state: 'connecting', reported: 'Synchronized' });
  assert.equal(await agent.connectAnew(signal), true);
  time.advance(seconds(11));
  await untilState(runtime, 'connected');
  assert.equal(tries(runtime), 2);
});

test('an agent without a new token renews the credentials that it has', async () => {
  await using runtime = await startRuntime();
  const newSecret = await register(runtime);
  await runtime.writeAgentSecret(await newSecret());
  runtime.landscape.time.advance(seconds(11));
  await untilState(runtime, 'connected');
  await runtime.installer.agent.connectAnew(signal);
  runtime.landscape.time.advance(seconds(11));
  assert.deepEqual(await connectionOf(runtime), { state: 'connected', reported: 'Synchronized' });
  assert.equal(tries(runtime), 1);
});

for (const [reported, state] of [
  ['', 'connecting'],
  ['Connected', 'connecting'],
  ['ConnectionMaintenanceFailed', 'connecting'],
  ['ResourceApplicationFailed', 'connecting'],
  ['Synchronized', 'connected'],
  ['SynchronizationFailed', 'connected'],
  ['MetadataUpdateFailed', 'connected'],
  ['ConnectionFailed', 'failed'],
  ['SomethingNew', 'connecting'],
] as const) {
  test(`an agent that reports ${JSON.stringify(reported)} counts as ${state}`, async () => {
    await using runtime = await startRuntime();
    const status = { connectionState: reported, connectionStatus: { error: 'why' } };
    const body = JSON.stringify({ spec: { managementInfo: {} }, status });
    runtime.landscape.faults.add({
      system: 'gardener',
      action: { kind: 'answer', status: 200, body },
    });
    assert.deepEqual(await connectionOf(runtime), {
      state,
      reported,
      ...(state === 'failed' && { error: 'why' }),
    });
  });
}
