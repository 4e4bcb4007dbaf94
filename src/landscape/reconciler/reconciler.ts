import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { opensCluster } from '../opens-cluster.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { settable } from './cluster-status.ts';
import { clustersOf, Configuration, type Version } from './clusters.ts';
import { serveOperators } from './operator-routes.ts';
import { operationsOf, reconciliationsOf } from './reconciliations.ts';

const Kubeconfig = z.object({ kubeconfig: z.string().regex(/kind["']?\s*:\s*["']?Config/) });
type Place = { Params: { runtimeId: string; version: string } };

const largestBody = 100_000;
const withFailures = ['error', 'delete_error', 'reconciling', 'deleting'];

/**
 * The Reconciler: versions of cluster configurations, each with a status that goes on by itself. As in the real one an
 * operator can set a status; here it may be any, so that errors can be staged. Versions of Kyma can be broken, too: then
 * the clusters that are given one of them end in an error, and no others.
 */
export const reconciler: MakeSystem = ({ time, url, caller }) => {
  const clusters = clustersOf({ time, caller });
  const { brokenVersions, versionsOf, statusOf } = clusters;

  function answer(version: Version) {
    const { runtimeID } = version.configuration;
    const status = statusOf(version);
    return {
      cluster: runtimeID,
      clusterVersion: version.clusterVersion,
      configurationVersion: version.number,
      status,
      failures: withFailures.includes(status) ? failuresOf(version, status) : null,
      statusURL: `${url()}/v1/clusters/${runtimeID}/configs/${version.number}/status`,
    };
  }
  /** Where somebody has set the error, no component has failed: then it is the first. */
  function failuresOf(version: Version, status: string) {
    if (status !== 'error' && status !== 'delete_error') return [];
    const [first] = version.configuration.kymaConfig.components;
    const given = version.given.at(-1);
    const failed =
      given?.run &&
      operationsOf(clusters, { version, given, run: given.run }).find(
        ({ state }) => state === 'error',
      );
    return [{ component: (failed ?? first)?.component ?? 'kyma', reason: 'timeout' }];
  }
  const answerOr404 = (version: Version | undefined, reply: FastifyReply) =>
    version ? answer(version) : reply.code(404).send({ error: 'cluster not found' });

  return {
    name: 'reconciler',
    inventory: () => ({
      clusters: clusters.all().flatMap((versions) =>
        versions.slice(-1).map((version) => ({
          runtimeID: version.configuration.runtimeID,
          clusterVersion: version.clusterVersion,
          configurationVersion: version.number,
          status: statusOf(version),
          kymaVersion: version.configuration.kymaConfig.version,
          components: version.configuration.kymaConfig.components.map((each) => each.component),
          ...debuggedIn(versions),
          askedBy: version.askedBy,
        })),
      ),
    }),
    state: clusters.state,
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
          return answer(clusters.apply(wanted.data));
        },
      });
      app.get<Place>('/v1/clusters/:runtimeId/configs/:version/status', async (request, reply) => {
        const { runtimeId, version } = request.params;
        const found = versionsOf(runtimeId).find(({ number }) => number === Number(version));
        return answerOr404(found, reply);
      });
      app.get<Place>('/v1/clusters/:runtimeId/status', async ({ params }, reply) =>
        answerOr404(clusters.latestOf(params.runtimeId), reply),
      );
      app.put<Place>('/v1/clusters/:runtimeId/status', async ({ params, body }, reply) => {
        const wish = z.object({ status: z.enum(settable) }).safeParse(body);
        if (!wish.success) return reply.code(400).send({ error: z.prettifyError(wish.error) });
        const latest = clusters.latestOf(params.runtimeId);
        if (latest) clusters.give(latest, wish.data.status);
        return answerOr404(latest, reply);
      });
      app.delete<Place>('/v1/clusters/:runtimeId', async ({ params }, reply) => {
        const latest = clusters.latestOf(params.runtimeId);
        const isUnderWay = latest && ['delete_pending', 'deleting'].includes(statusOf(latest));
        if (latest && !isUnderWay) clusters.give(latest, 'delete_pending');
        return answerOr404(latest, reply);
      });
      serveOperators(app, clusters);
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

/** Whose logs tell more, by the ids of their reconciliations: only if there are any. */
function debuggedIn(versions: readonly Version[]) {
  const debugged = reconciliationsOf(versions).flatMap(({ version, run }) =>
    [...run.debugged].map((place) => ({
      schedulingID: run.schedulingID,
      component: version.configuration.kymaConfig.components[place]?.component,
    })),
  );
  return debugged.length > 0 ? { debugged } : {};
}

/** The broker of old sends no content type. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
