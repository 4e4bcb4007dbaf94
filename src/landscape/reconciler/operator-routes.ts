import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { kymaConfigOf, stateOf } from './cluster-state.ts';
import { settable } from './cluster-status.ts';
import type { Clusters } from './clusters.ts';
import {
  operationsOf,
  reconciliationsOf,
  runtimeIdIn,
  summaryOf,
  type Reconciliation,
} from './reconciliations.ts';
import { durationOf, statusChanges } from './status-changes.ts';

type ByCluster = { Params: { runtimeId: string; version: string } };
type ByIds = { Params: { schedulingId: string; correlationId: string } };

const many = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const ListQuery = z.object({
  runtimeID: many.optional(),
  status: many.pipe(z.array(z.enum([...settable, 'deleted']))).optional(),
  before: z.iso.datetime({ offset: true }).optional(),
  after: z.iso.datetime({ offset: true }).optional(),
  last: z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).optional(),
});
const StateQuery = z
  .object({ runtimeID: z.string(), schedulingID: z.string(), correlationID: z.string() })
  .partial()
  .refine((query) => Object.values(query).some(Boolean), {
    error: 'one of runtimeID, schedulingID and correlationID is needed',
  });
const StopWish = z.object({ reason: z.string() });
/** What operators ask the Reconciler, and tell it. Secrets of a configuration are in the answers, as in the real one. */
export function serveOperators(app: FastifyInstance, clusters: Clusters): void {
  const { versionsOf } = clusters;
  const find = (id: string, isMeant: (each: Reconciliation) => boolean) =>
    reconciliationsOf(versionsOf(runtimeIdIn(id))).find(isMeant);
  const bySchedulingId = (id: string) => find(id, ({ run }) => run.schedulingID === id);
  const placeIn = (found: Reconciliation | undefined, id: string) =>
    found
      ? operationsOf(clusters, found).findIndex(({ correlationID }) => correlationID === id)
      : -1;

  app.get<ByCluster>('/v1/clusters/:runtimeId/statusChanges', async ({ params, query }, reply) => {
    const offset = durationOf((query as { offset?: string }).offset ?? '168h');
    if (offset === undefined)
      return badRequest(reply, 'offset must be a duration, for example 168h or 1h30m');
    const versions = versionsOf(params.runtimeId);
    if (versions.length === 0) return notFound(reply, 'cluster');
    return { statusChanges: statusChanges(clusters, versions, offset) };
  });
  app.get<ByCluster>('/v1/clusters/:runtimeId/config/:version', async ({ params }, reply) => {
    const number = Number(params.version);
    if (!Number.isInteger(number)) return badRequest(reply, 'the version must be a whole number');
    const found = versionsOf(params.runtimeId).find((each) => each.number === number);
    return found ? kymaConfigOf(found) : notFound(reply, 'version of the configuration');
  });
  app.get('/v1/clusters/state', async ({ query }, reply) => {
    const asked = StateQuery.safeParse(query);
    if (!asked.success) return badRequest(reply, z.prettifyError(asked.error));
    const { runtimeID, schedulingID, correlationID = '' } = asked.data;
    const version = runtimeID
      ? clusters.latestOf(runtimeID)
      : schedulingID
        ? bySchedulingId(schedulingID)?.version
        : find(correlationID, (each) => placeIn(each, correlationID) !== -1)?.version;
    return version ? stateOf(clusters, version) : notFound(reply, 'cluster');
  });

  app.get('/v1/reconciliations', async ({ query }, reply) => {
    const asked = ListQuery.safeParse(query);
    if (!asked.success) return badRequest(reply, z.prettifyError(asked.error));
    const { runtimeID, status, before, after, last } = asked.data;
    return (runtimeID?.map(versionsOf) ?? clusters.all())
      .flatMap(reconciliationsOf)
      .toSorted((a, b) => b.given.id - a.given.id)
      .map((each) => summaryOf(clusters, each))
      .filter((each) => !status || status.includes(each.status ?? ''))
      .filter(({ created }) => !before || created < new Date(before))
      .filter(({ created }) => !after || created > new Date(after))
      .slice(0, last);
  });
  app.get<ByIds>('/v1/reconciliations/:schedulingId/info', async ({ params }, reply) => {
    const found = bySchedulingId(params.schedulingId);
    if (!found) return notFound(reply, 'reconciliation');
    const { lock: _, ...summary } = summaryOf(clusters, found);
    const operations = operationsOf(clusters, found);
    return { ...summary, configVersion: found.version.number, operations };
  });
  app.put<ByIds>('/v1/reconciliations/:schedulingId/debug', async ({ params }, reply) => {
    const found = bySchedulingId(params.schedulingId);
    if (!found) return notFound(reply, 'reconciliation');
    for (const { priority } of operationsOf(clusters, found)) found.run.debugged.add(priority - 1);
    return reply.code(200).send();
  });
  app.delete<ByCluster>('/v1/reconciliations/cluster/:runtimeId', async ({ params }, reply) => {
    for (const { given } of reconciliationsOf(versionsOf(params.runtimeId))) given.run = undefined;
    return reply.code(200).send();
  });

  const operation = '/v1/operations/:schedulingId/:correlationId';
  app.post<ByIds>(`${operation}/stop`, async ({ params, body }, reply) => {
    const wish = StopWish.safeParse(body);
    if (!wish.success) return badRequest(reply, z.prettifyError(wish.error));
    const found = bySchedulingId(params.schedulingId);
    const place = placeIn(found, params.correlationId);
    if (!found || place === -1) return notFound(reply, 'operation');
    const state = operationsOf(clusters, found)[place]?.state;
    if (state !== 'new')
      return reply
        .code(403)
        .send({ error: `operation is ${state}: only a new one can be stopped` });
    found.run.stopped.set(place, {
      after: clusters.elapsedOf(found.given),
      reason: wish.data.reason,
    });
    return reply.code(200).send();
  });
  app.put<ByIds>(`${operation}/debug`, async ({ params }, reply) => {
    const found = bySchedulingId(params.schedulingId);
    const place = placeIn(found, params.correlationId);
    if (!found || place === -1) return notFound(reply, 'operation');
    found.run.debugged.add(place);
    return reply.code(200).send();
  });
}

const notFound = (reply: FastifyReply, what: string) =>
  reply.code(404).send({ error: `${what} not found` });
const badRequest = (reply: FastifyReply, error: string) => reply.code(400).send({ error });
