import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import type { KymaConfigInput } from '../provisioner/runtime-input.ts';
import { SystemError } from '../system-error.ts';
import { applyManifest } from './apply-manifest.ts';
import { ifServed } from './if-served.ts';
import { Installation, installationState, type InstallationState } from './installation-state.ts';
import { readManifest } from './manifest.ts';
import { applyOverrides } from './overrides.ts';
import { fieldManager, serverSideApply } from './server-side-apply.ts';

/** Kyma 1.x on a runtime: an installer in the cluster does what an Installation asks for. All of it is safe to repeat. */
export type KymaInstallation = {
  /** Puts the installer itself there, or what it builds on, from its YAML file. */
  readonly applyInstaller: (yaml: string, signal: AbortSignal) => Promise<void>;
  /** After the installer, before the installation. They take the place of those that were there. */
  readonly applyOverrides: (
    kyma: Pick<KymaConfigInput, 'configuration' | 'components'>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Asks for this version with these components, in this order; for a new version, too. */
  readonly install: (
    kyma: Pick<KymaConfigInput, 'version' | 'profile' | 'components'>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Asks for the removal of all components. False if nothing was installed here. */
  readonly uninstall: (signal: AbortSignal) => Promise<boolean>;
  readonly state: (signal: AbortSignal) => Promise<InstallationState>;
};

const apiVersion = 'installer.kyma-project.io/v1alpha1';
const place = { name: 'kyma-installation', namespace: 'default' };
const path = `/apis/${apiVersion}/namespaces/${place.namespace}/installations/${place.name}`;

export const kymaInstallation = (connection: KubernetesConnection): KymaInstallation => ({
  async applyInstaller(yaml, signal) {
    const manifest = readManifest(yaml);
    if (manifest.kind === 'malformed') throw unreadable(manifest.because);
    // The file's own Installation is only an example of one: `install` says what is wanted.
    const objects = manifest.documents.filter(
      (each) => each.apiVersion !== apiVersion || each.kind !== 'Installation',
    );
    await applyManifest(connection, objects, signal);
  },

  applyOverrides: (kyma, signal) => applyOverrides(connection, kyma, signal),

  install: ({ version, profile, components }, signal) =>
    serverSideApply(connection, {
      path,
      object: {
        apiVersion,
        kind: 'Installation',
        metadata: { ...place, labels: { action: 'install' } },
        spec: {
          version,
          url: '',
          ...(profile && { profile: profile.toLowerCase() }),
          components: components.map(({ component, namespace, sourceURL }) => ({
            name: component,
            namespace,
            ...(sourceURL && { source: { url: sourceURL } }),
          })),
        },
      },
      what: `ask for Kyma ${version}`,
      signal,
    }),

  async uninstall(signal) {
    const found = connection.find({
      method: 'PATCH',
      path,
      query: { fieldManager },
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { action: 'uninstall' } } },
      answer: Installation,
      what: 'ask for the removal of Kyma',
      signal,
    });
    return (await ifServed(found)) !== undefined;
  },

  async state(signal) {
    const found = connection.find({
      method: 'GET',
      path,
      answer: Installation,
      what: 'get the state of the installation',
      signal,
    });
    return installationState(await ifServed(found));
  },
});

const unreadable = (why: string) =>
  new SystemError(
    'runtime-cluster',
    `runtime-cluster: cannot apply the installer: its file is not as expected: ${why}`,
    { temporary: false, reason: 'invalid_manifest' },
  );
