import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { minutes, seconds } from '#time';
import { canary, failsWith, kyma, signal, startRuntime, until } from './testing.ts';
import type { KymaInstaller } from './kyma-installer.ts';

/** Every call, and whether it looks at what is answered. */
const calls = {
  'applying the installer': {
    call: ({ installation }, signal) =>
      installation.applyInstaller(
        '{ apiVersion: v1, kind: Namespace, metadata: { name: a } }',
        signal,
      ),
    field: /resources/,
  },
  'applying overrides': {
    call: ({ installation }, signal) =>
      installation.applyOverrides({ ...kyma, configuration: [] }, signal),
    field: /items/,
  },
  'asking for Kyma': { call: ({ installation }, signal) => installation.install(kyma, signal) },
  'asking for its removal': {
    call: ({ installation }, signal) => installation.uninstall(signal),
    field: /metadata/,
  },
  'asking for its state': {
    call: ({ installation }, signal) => installation.state(signal),
    field: /metadata/,
  },
  'asking for the connection': {
    call: ({ agent }, signal) => agent.connection(signal),
    field: /spec/,
    wrong: '{"spec":7}',
  },
  'connecting anew': {
    call: ({ agent }, signal) => agent.connectAnew(signal),
    field: /spec/,
    wrong: '{"spec":7}',
  },
  'cleaning up': {
    call: ({ serviceCatalog }, signal) => serviceCatalog.cleanUp(signal),
    field: /items/,
  },
} satisfies Record<
  string,
  {
    call: (installer: KymaInstaller, signal: AbortSignal) => Promise<unknown>;
    field?: RegExp;
    wrong?: string;
  }
>;

const statuses = [
  [400, 'BadRequest', false],
  [401, 'Unauthorized', false],
  [403, 'Forbidden', false],
  [408, 'Timeout', true],
  [409, 'Conflict', true],
  [422, 'Invalid', false],
  [429, 'TooManyRequests', true],
  [500, 'InternalError', true],
  [503, 'ServiceUnavailable', true],
] as const;

for (const [what, { call, ...expected }] of Object.entries(calls)) {
  test(`${what}: each failure of the cluster is what it is`, async () => {
    await using runtime = await startRuntime();
    const { faults } = runtime.landscape;
    for (const [status, reason, temporary] of statuses) {
      faults.remove();
      const body = JSON.stringify({ kind: 'Status', reason, message: canary });
      const headers = status === 429 ? { 'retry-after': '7' } : {};
      const action = { kind: 'answer', status, body, headers } as const;
      faults.add({ system: 'gardener', path: '^/runtimes/', action });
      await assert.rejects(
        call(runtime.installer, signal),
        failsWith({ temporary, reason, status, ...(status === 429 && { retryAfter: seconds(7) }) }),
      );
    }
    faults.remove();
    faults.add({ system: 'gardener', path: '^/runtimes/', action: { kind: 'reset' } });
    const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
    await assert.rejects(call(runtime.installer, signal), unreachable);
  });

  test(`${what} ends at its timeout and at its signal`, async () => {
    await using runtime = await startRuntime({ timeout: 50 });
    const action = { kind: 'delay', for: 60_000 } as const;
    runtime.landscape.faults.add({ system: 'gardener', path: '^/runtimes/', action });
    const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
    await assert.rejects(call(runtime.installer, signal), unreachable);
    const reason = new Error('canceled');
    await assert.rejects(call(runtime.installer, AbortSignal.abort(reason)), reason);
  });

  const { field, wrong = '{}' } = { field: undefined, wrong: undefined, ...expected };
  if (!field) continue;
  test(`${what}: an answer of the wrong shape names the field, and is waited out`, async () => {
    await using runtime = await startRuntime();
    for (const [body, names] of [
      [wrong, field],
      [`<html>${canary}`, /the whole/],
    ] as const) {
      runtime.landscape.faults.remove();
      const action = { kind: 'answer', status: 200, body } as const;
      runtime.landscape.faults.add({ system: 'gardener', path: '^/runtimes/', action });
      await assert.rejects(call(runtime.installer, signal), (error: Error) => {
        assert.match(error.message, names);
        return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
      });
    }
  });
}

test('every call whose answer is lost can be repeated', async () => {
  await using runtime = await startRuntime();
  const { installer, landscape } = runtime;
  const yaml = await runtime.artifacts.installerYaml(kyma.version, signal);
  await installer.installation.applyInstaller(yaml, signal);
  await installer.installation.install(kyma, signal);
  const id = await runtime.director.registerRuntime('t', { name: 'a', labels: {} }, signal);
  const { token, connectorURL } = await runtime.director.requestOneTimeToken('t', id, signal);
  await runtime.writeAgentSecret({ CONNECTOR_URL: connectorURL, TOKEN: token });
  landscape.time.advance(minutes(3));
  const agentIs = () => installer.agent.connection(signal);
  await until(agentIs, ({ state }) => state === 'connected');
  for (const { call } of Object.values(calls)) {
    const action = { kind: 'lost answer' } as const;
    landscape.faults.add({ system: 'gardener', path: '^/runtimes/', count: 1, action });
    const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
    await assert.rejects(call(installer, signal), unreachable);
    await call(installer, signal);
  }
});

test('the installer works on a connection and on a kubeconfig alike, and shows neither', async () => {
  await using runtime = await startRuntime();
  const none = { state: 'NoInstallation' };
  for (const each of [runtime.installer, runtime.installerOnConnection]) {
    assert.deepEqual(await each.installation.state(signal), none);
    assert.doesNotMatch(inspect(each, { depth: 9 }) + JSON.stringify(each), /token|certificate/);
  }
});
