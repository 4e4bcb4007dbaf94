import { z } from 'zod';
import { hours, type Milliseconds } from '#time';
import { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { gardenerApi, type Project } from './project.ts';
import { runtimeIdOf, Shoot, type WantedShoot } from './shoot.ts';

/** The clusters of a Gardener project. */
export type Shoots = {
  readonly get: (name: string, signal: AbortSignal) => Promise<Shoot | undefined>;
  readonly findByRuntimeId: (
    account: string,
    runtimeId: string,
    signal: AbortSignal,
  ) => Promise<Shoot | undefined>;
  readonly list: (signal: AbortSignal, labelSelector?: string) => Promise<Shoot[]>;
  /** Creates it, or makes it so; safe to repeat. Gardener then works on it for minutes. */
  readonly apply: (shoot: WantedShoot, signal: AbortSignal) => Promise<Shoot>;
  /** Fails as `apply` would, and changes nothing. */
  readonly check: (shoot: WantedShoot, signal: AbortSignal) => Promise<void>;
  /** Asks for its deletion, and confirms that this is meant. What is gone already is as good as deleted. */
  readonly delete: (
    name: string,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** For a while, an administrator of the cluster. Refused until the cluster is up; undefined without a shoot. */
  readonly adminKubeconfig: (
    name: string,
    signal: AbortSignal,
    lifetime?: Milliseconds,
  ) => Promise<{ kubeconfig: Kubeconfig; expiresAt: Date } | undefined>;
};

const fieldManager = 'provisioner';

export const gardenerShoots = (project: Project): Shoots => ({
  get: (name, signal) =>
    project.find({
      method: 'GET',
      path: project.pathOf('shoots', name),
      answer: Shoot,
      what: `get shoot ${name}`,
      signal,
    }),

  async findByRuntimeId(account, runtimeId, signal) {
    const shoots = await project.listShoots(`account=${account}`, signal);
    return shoots.find((shoot) => runtimeIdOf(shoot) === runtimeId);
  },

  list: (signal, labelSelector = '') => project.listShoots(labelSelector, signal),

  apply: (shoot, signal) => applied(project, shoot, {}, signal),

  async check(shoot, signal) {
    await applied(project, shoot, { dryRun: 'All' }, signal);
  },

  async delete(name, annotations, signal) {
    // No apply here: it would create a shoot that has gone in the meantime once more.
    const confirmed = await project.find({
      method: 'PATCH',
      path: project.pathOf('shoots', name),
      query: { fieldManager },
      contentType: 'application/merge-patch+json',
      body: {
        metadata: {
          annotations: { ...annotations, 'confirmation.gardener.cloud/deletion': 'true' },
        },
      },
      answer: Shoot,
      what: `confirm the deletion of shoot ${name}`,
      signal,
    });
    if (!confirmed) return;
    await project.find({
      method: 'DELETE',
      path: project.pathOf('shoots', name),
      what: `delete shoot ${name}`,
      signal,
    });
  },

  async adminKubeconfig(name, signal, lifetime = hours(8)) {
    const answer = await project.find({
      method: 'POST',
      path: `${project.pathOf('shoots', name)}/adminkubeconfig`,
      body: {
        apiVersion: 'authentication.gardener.cloud/v1alpha1',
        kind: 'AdminKubeconfigRequest',
        spec: { expirationSeconds: Math.floor(lifetime / 1_000) },
      },
      answer: AdminKubeconfigRequest,
      what: `get an admin kubeconfig of shoot ${name}`,
      signal,
    });
    if (!answer) return undefined;
    const { kubeconfig, expirationTimestamp } = answer.status;
    return {
      kubeconfig: new Kubeconfig(Buffer.from(kubeconfig, 'base64').toString()),
      expiresAt: new Date(expirationTimestamp),
    };
  },
});

const applied = (
  project: Project,
  { metadata, spec }: WantedShoot,
  options: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => {
  const { name, labels, annotations, resourceVersion } = metadata;
  return project.request({
    method: 'PATCH',
    path: project.pathOf('shoots', name),
    query: { fieldManager, force: 'true', ...options },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: gardenerApi,
      kind: 'Shoot',
      metadata: { name, namespace: project.namespace, labels, annotations, resourceVersion },
      spec,
    },
    answer: Shoot,
    what: `apply shoot ${name}`,
    signal,
  });
};

const AdminKubeconfigRequest = z.object({
  status: z.object({ kubeconfig: z.string().min(1), expirationTimestamp: z.iso.datetime() }),
});
