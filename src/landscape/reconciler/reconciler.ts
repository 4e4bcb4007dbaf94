import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Milliseconds } from '#time';
import { keeping } from '../kept-state.ts';
import { opensCluster } from '../opens-cluster.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { settable, statusAfter } from './cluster-status.ts';

const Configuration = z.object({
  runtimeID: z.string().min(1),
  runtimeInput: z.object({ name: z.string(), description: z.string().default('') }),
  kymaConfig: z.looseObject({
    version: z.string(),
    profile: z.string(),
    components: z.array(z.looseObject({ component: z.string() })),
  }),
  metadata: z.looseObject({}),
});
/** What is kept and compared: all but this. */
const Kubeconfig = z.object({ kubeconfig: z.string().regex(/kind["']?\s*:\s*["']?Config/) });
type Configuration = z.infer<typeof Configuration>;

/** One version of a configuration, the status it was last given, and since when; a newer version stops its clock. */
type Version = {
  readonly number: number;
  readonly clusterVersion: number;
  readonly configuration: Configuration;
  status: string;
  since: Milliseconds;
  /** Its version of Kyma could not be installed at that time. */
  isBroken: boolean;
  replacedAt?: Milliseconds;
  readonly askedBy: string;
};
type Place = { Params: { runtimeId: string; version: string } };

const largestBody = 100_000;
const withFailures = ['error', 'delete_error', 'reconciling', 'deleting'];

/**
 * The Reconciler: versions of cluster configurations, each with a status that goes on by itself. As in the real one an
 * operator can set a status; here it may be any, so that errors can be staged. Versions of Kyma can be broken, too: then
 * the clusters that are given one of them end in an error, and no others.
 */
export const reconciler: MakeSystem = ({ time, url, caller }) => {
  const clusters = new Map<string, Version[]>();
  const last = { cluster: 0, configuration: 0 };
  const brokenVersions = new Set<string>();
  const isBroken = ({ kymaConfig }: Configuration) => brokenVersions.has(kymaConfig.version);

  const statusOf = ({ status, since, isBroken: broken, replacedAt = Infinity }: Version) =>
    statusAfter(status, Math.min(time.now(), replacedAt) - since, broken);
  /** Of a cluster whose deletion is not finished. */
  const versionsOf = (runtimeId: string): Version[] => {
    const versions = clusters.get(runtimeId) ?? [];
    const latest = versions.at(-1);
    if (!latest || statusOf(latest) !== 'gone') return versions;
    clusters.delete(runtimeId);
    return [];
  };
  const give = (version: Version, status: string) => {
    version.status = status;
    version.since = time.now();
    version.isBroken = isBroken(version.configuration);
  };

  function apply(wanted: Configuration): Version {
    const versions = versionsOf(wanted.runtimeID);
    const latest = versions.at(-1);
    const disabled = latest !== undefined && statusOf(latest) === 'reconcile_disabled';
    const status = disabled ? 'reconcile_disabled' : 'reconcile_pending';
    if (latest && isDeepStrictEqual(latest.configuration, wanted)) {
      give(latest, status);
      return latest;
    }
    const sameCluster =
      latest &&
      isDeepStrictEqual(latest.configuration.runtimeInput, wanted.runtimeInput) &&
      isDeepStrictEqual(latest.configuration.metadata, wanted.metadata);
    if (latest) latest.replacedAt = time.now();
    if (!sameCluster) last.cluster += 1;
    last.configuration += 1;
    const version = {
      number: last.configuration,
      clusterVersion: sameCluster ? latest.clusterVersion : last.cluster,
      configuration: wanted,
      status,
      since: time.now(),
      isBroken: isBroken(wanted),
      askedBy: latest?.askedBy ?? caller(),
    };
    clusters.set(wanted.runtimeID, [...versions, version]);
    return version;
  }

  function answer(version: Version) {
    const { runtimeID, kymaConfig } = version.configuration;
    const status = statusOf(version);
    const hasFailed = status === 'error' || status === 'delete_error';
    const [first] = kymaConfig.components;
    const failures = hasFailed
      ? [{ component: first?.component ?? 'kyma', reason: 'timeout' }]
      : [];
    return {
      cluster: runtimeID,
      clusterVersion: version.clusterVersion,
      configurationVersion: version.number,
      status,
      failures: withFailures.includes(status) ? failures : null,
      statusURL: `${url()}/v1/clusters/${runtimeID}/configs/${version.number}/status`,
    };
  }
  const answerOr404 = (version: Version | undefined, reply: FastifyReply) =>
    version ? answer(version) : reply.code(404).send({ error: 'cluster not found' });

  return {
    name: 'reconciler',
    inventory: () => ({
      clusters: [...clusters.keys()].flatMap((runtimeID) =>
        versionsOf(runtimeID)
          .slice(-1)
          .map((version) => ({
            runtimeID,
            clusterVersion: version.clusterVersion,
            configurationVersion: version.number,
            status: statusOf(version),
            kymaVersion: version.configuration.kymaConfig.version,
            components: version.configuration.kymaConfig.components.map((each) => each.component),
            askedBy: version.askedBy,
          })),
      ),
    }),
    state: keeping({ clusters, last, brokenVersions }),
    serve(app) {
      app.route({
        method: ['POST', 'PUT'],
        url: '/v1/clusters',
        handler: async ({ body, headers }, reply) => {
          if (Number(headers['content-length']) > largestBody)
            return reply.code(400).send({ error: 'http: request body too large' });
          const json = typeof body === 'string' ? jsonOf(body) : body;
          const wanted = Configuration.safeParse(json);
          if (!wanted.success)
            return reply.code(400).send({ error: z.prettifyError(wanted.error) });
          const given = Kubeconfig.safeParse(json).data;
          const { host } = new URL(url());
          if (!given || (await opensCluster(given.kubeconfig, host)) === false)
            return reply.code(400).send({ error: 'kubeconfig is not accepted' });
          return answer(apply(wanted.data));
        },
      });
      app.get<Place>('/v1/clusters/:runtimeId/configs/:version/status', async (request, reply) => {
        const { runtimeId, version } = request.params;
        const found = versionsOf(runtimeId).find(({ number }) => number === Number(version));
        return answerOr404(found, reply);
      });
      app.get<Place>('/v1/clusters/:runtimeId/status', async ({ params }, reply) =>
        answerOr404(versionsOf(params.runtimeId).at(-1), reply),
      );
      app.put<Place>('/v1/clusters/:runtimeId/status', async ({ params, body }, reply) => {
        const wish = z.object({ status: z.enum(settable) }).safeParse(body);
        if (!wish.success) return reply.code(400).send({ error: z.prettifyError(wish.error) });
        const latest = versionsOf(params.runtimeId).at(-1);
        if (latest) give(latest, wish.data.status);
        return answerOr404(latest, reply);
      });
      app.delete<Place>('/v1/clusters/:runtimeId', async ({ params }, reply) => {
        const latest = versionsOf(params.runtimeId).at(-1);
        const isUnderWay = latest && ['delete_pending', 'deleting'].includes(statusOf(latest));
        if (latest && !isUnderWay) give(latest, 'delete_pending');
        return answerOr404(latest, reply);
      });
      // A switch that the real one does not have: a version of Kyma that cannot be installed, or can again.
      app.put<Place>('/versions/:version', async ({ params: { version }, body }, reply) => {
        const wish = z.strictObject({ isBroken: z.boolean() }).safeParse(body);
        if (!wish.success) return reply.code(400).send({ error: z.prettifyError(wish.error) });
        if (wish.data.isBroken) brokenVersions.add(version);
        else brokenVersions.delete(version);
        return reply.code(204).send();
      });
      for (const path of ['/health/live', '/health/ready'])
        app.get(path, async (_request, reply) => reply.code(200).send());
    },
  };
};

/** The broker of old sends no content type. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
