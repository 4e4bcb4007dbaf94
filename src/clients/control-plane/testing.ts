// For tests of the two clients of this cluster: a control plane in this process.
import assert from 'node:assert/strict';
import { controlPlaneWith, demoKymaVersion, token } from '../../landscape/control-plane/testing.ts';
import { startLandscape } from '../../landscape/testing.ts';
import { kubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { lifecycleManagerClient } from '../lifecycle-manager/lifecycle-manager-client.ts';
import { failuresOf } from '../testing.ts';
import type { ControlPlaneSettings } from './configuration-objects.ts';
import { controlPlaneClient } from './control-plane-client.ts';

export const { signal } = new AbortController();
export { demoKymaVersion };

/** For assert.rejects. The token of the kubeconfig is never to be seen. */
export const failsWith = failuresOf('control-plane', token);
export const lifecycleManagerFailsWith = failuresOf('lifecycle-manager', token);

export async function startControlPlane(
  options: {
    readonly hasLifecycleManager?: boolean;
    readonly settings?: Partial<ControlPlaneSettings>;
  } = {},
) {
  const { hasLifecycleManager = true, settings } = options;
  const landscape = await startLandscape({ systems: [controlPlaneWith({ hasLifecycleManager })] });
  const url = `${landscape.url}/control-plane`;
  const kubeconfig = await (await fetch(`${url}/kubeconfig`)).text();
  const all = { kubeconfig, defaultKymaVersion: demoKymaVersion, ...settings };
  const connection = kubernetesConnection('control-plane', all);
  return {
    landscape,
    url,
    client: controlPlaneClient(all),
    lifecycleManager: lifecycleManagerClient(all),
    /** To do what the clients do not. */
    connection,
    configMap: (
      name: string,
      labels: Readonly<Record<string, string>>,
      data: Readonly<Record<string, string>>,
    ) => connection.request(creationOf('configmaps', name, labels, { data })),
    secret: (
      name: string,
      labels: Readonly<Record<string, string>>,
      stringData: Readonly<Record<string, string>>,
    ) => connection.request(creationOf('secrets', name, labels, { stringData })),
    removeConfigMap: (name: string) =>
      connection.request({
        method: 'DELETE',
        path: `${base}/configmaps/${name}`,
        what: `delete ${name}`,
        signal,
      }),
    async stage(kyma: string, wanted: object) {
      const { status } = await fetch(`${url}/kymas/${kyma}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wanted),
      });
      assert.equal(status, 204);
    },
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}

const base = '/api/v1/namespaces/kcp-system';
const creationOf = (
  plural: 'configmaps' | 'secrets',
  name: string,
  labels: Readonly<Record<string, string>>,
  content: object,
) =>
  ({
    method: 'POST',
    path: `${base}/${plural}`,
    body: { metadata: { name, labels }, ...content },
    what: `create ${name}`,
    signal,
  }) as const;
