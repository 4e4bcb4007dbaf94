// For tests of this client: a runtime cluster with its surroundings in this process.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { minutes } from '#time';
import { artifacts } from '../../landscape/artifacts/testing.ts';
import { director } from '../../landscape/director/testing.ts';
import { gardenerWith } from '../../landscape/gardener/testing.ts';
import { startLandscape } from '../../landscape/testing.ts';
import { artifactsClient } from '../artifacts/artifacts-client.ts';
import { directorClient } from '../director/director-client.ts';
import { gardenerClient } from '../gardener/gardener-client.ts';
import { kubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import type { SystemLimits } from '../system-limits.ts';
import { failuresOf } from '../testing.ts';
import { kymaInstaller, kymaInstallerOn } from './kyma-installer.ts';

export const { signal } = new AbortController();

/** The value of a secret override: never to be seen. */
export const canary = 'canary-secret';
export const failsWith = failuresOf('runtime-cluster', canary);

export const kyma = {
  version: '1.24.10',
  profile: 'Production',
  configuration: [
    { key: 'global.domainName', value: 'a.kyma.example.com' },
    { key: 'global.password', value: canary, secret: true },
  ],
  components: [
    { component: 'cluster-essentials', namespace: 'kyma-system' },
    {
      component: 'compass-runtime-agent',
      namespace: 'compass-system',
      sourceURL: 'https://charts.example.com/agent.tgz',
      configuration: [{ key: 'compassRuntimeAgent.resync', value: '1m', secret: false }],
    },
    {
      component: 'service-catalog',
      namespace: 'kyma-system',
      configuration: [{ key: 'catalog.token', value: canary, secret: true }],
    },
  ],
} as const;

const AnyObject = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
});

/** The runtime of shoot `a`, up and running. */
export async function startRuntime(limits: SystemLimits = { breakAfter: 1_000 }) {
  await using started = new AsyncDisposableStack(); // should anything below fail
  const landscape = started.use(
    await startLandscape({ systems: [gardenerWith({ freeAccounts: 1 }), director, artifacts] }),
  );
  const { url } = landscape;
  const { shoots } = gardenerClient({
    kubeconfig: await (await fetch(`${url}/gardener/kubeconfig`)).text(),
    project: 'kyma',
  });
  const spec = { secretBindingName: 'azure-pool-001', provider: { type: 'azure' } };
  await shoots.apply({ metadata: { name: 'a' }, spec }, signal);
  landscape.time.advance(minutes(6));
  const { kubeconfig } = (await shoots.adminKubeconfig('a', signal)) ?? assert.fail('no shoot');
  const connection = kubernetesConnection('runtime-cluster', { kubeconfig: kubeconfig.reveal() });
  const read = (path: string) =>
    connection.find({ method: 'GET', path, answer: AnyObject, what: 'read', signal });
  const create = (path: string, body: object) =>
    connection.request({ method: 'POST', path, body, what: 'create', signal });
  const stop = started.move();
  return {
    landscape,
    connection,
    read,
    create,
    kubeconfig,
    installer: kymaInstallerOn(kubeconfig, limits),
    installerOnConnection: kymaInstaller(connection),
    director: directorClient({
      url: `${url}/director/graphql`,
      tokenUrl: `${url}/director/oauth2/token`,
      clientId: 'id',
      clientSecret: 'secret',
    }),
    artifacts: artifactsClient({
      releasesUrl: `${url}/artifacts/releases`,
      componentsUrl: `${url}/artifacts/components`,
      developmentUrl: `${url}/artifacts/development`,
    }),
    /** Puts the agent's Secret there, or a new one in its place. */
    async writeAgentSecret(data: Readonly<Record<string, string>>, namespace = 'kyma-system') {
      const apply = (path: string, object: object) =>
        connection.request({
          method: 'PATCH',
          path,
          query: { fieldManager: 'test', force: 'true' },
          contentType: 'application/apply-patch+yaml',
          body: { apiVersion: 'v1', ...object },
          what: 'apply',
          signal,
        });
      const home = `/api/v1/namespaces/${namespace}`;
      await apply(home, { kind: 'Namespace', metadata: { name: namespace } });
      await apply(`${home}/secrets/compass-agent-configuration`, {
        kind: 'Secret',
        metadata: { name: 'compass-agent-configuration' },
        data: encoded(data),
      });
    },
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

export type Runtime = Awaited<ReturnType<typeof startRuntime>>;

/** For what happens by itself in a moment of real time: asks until the answer is the right one. */
export async function until<Answer>(
  ask: () => Promise<Answer>,
  isRight: (answer: Answer) => boolean,
): Promise<Answer> {
  const patience = AbortSignal.timeout(10_000);
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    if (patience.aborted) assert.fail(`it stays ${JSON.stringify(answer)}`);
  }
}

const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
