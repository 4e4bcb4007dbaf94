import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import {
  answerFor,
  Creation,
  evaluationFrom,
  inSeconds,
  lifecycles,
  Tag,
  type Evaluation,
} from './evaluations.ts';
import { PasswordTokens } from './password-tokens.ts';

type Place = { Params: { id: string; parent: string } };

/**
 * AvS: a name may be used any number of times, so a creation that is repeated leaves two evaluations. Compound evaluations
 * are there as soon as they are named; they keep a child until it is detached, even one that is deleted.
 */
export const avs: MakeSystem = ({ time, caller }) => {
  const evaluations = new Map<string, Evaluation>();
  const compounds = new Map<string, { children: Set<string>; askedBy: string }>();
  const tokens = new PasswordTokens(time);
  const last = { id: 987_654_320 };

  return {
    name: 'avs',
    inventory: () => ({
      evaluations: [...evaluations.values()].map(({ id, name, url, status, tags, askedBy }) => ({
        id: String(id),
        name,
        url,
        status,
        tags: tags.map(({ content }) => content),
        askedBy,
      })),
      compounds: [...compounds]
        .filter(([, { children }]) => children.size > 0)
        .map(([id, { children, askedBy }]) => ({
          id: Number(id),
          children: [...children],
          askedBy,
        })),
    }),
    state: keeping({ evaluations, compounds, tokens, last }),
    serve(app) {
      tokens.serve(app, '/oauth/token');
      const guarded = { onRequest: tokens.check };
      const base = '/api/v2/evaluationmetadata';

      app.post(base, guarded, async ({ body }, reply) => {
        const wanted = Creation.safeParse(body);
        if (!wanted.success) return refuse(reply, 400, z.prettifyError(wanted.error));
        last.id += 1;
        const askedBy = caller();
        const created = evaluationFrom(wanted.data, last.id, { now: time.date(), askedBy });
        const parent = String(wanted.data.parent_id);
        evaluations.set(String(created.id), created);
        compounds
          .getOrInsertComputed(parent, () => ({ children: new Set(), askedBy }))
          .children.add(String(created.id));
        return answerFor(created);
      });
      app.get<Place>(`${base}/:id`, guarded, async ({ params }, reply) => {
        const found = evaluations.get(params.id);
        return found ? answerFor(found) : unknown(reply, params.id);
      });
      app.post<Place>(`${base}/:id/tag`, guarded, async ({ params, body }, reply) => {
        const found = evaluations.get(params.id);
        if (!found) return unknown(reply, params.id);
        const tag = Tag.safeParse(body);
        if (!tag.success) return refuse(reply, 400, z.prettifyError(tag.error));
        found.tags.push(tag.data);
        found.dateChanged = inSeconds(time.date());
        return answerFor(found);
      });
      app.put<Place>(`${base}/:id/lifecycle`, guarded, async ({ params, body }, reply) => {
        const found = evaluations.get(params.id);
        if (!found) return reply.code(404).send();
        const lifecycle = z.enum(lifecycles).safeParse(body);
        if (!lifecycle.success) return refuse(reply, 500, 'no such lifecycle');
        found.status = lifecycle.data;
        found.dateChanged = inSeconds(time.date());
        return answerFor(found);
      });
      app.delete<Place>(`${base}/:parent/child/:id`, guarded, async ({ params }, reply) => {
        const { parent, id } = params;
        if (!compounds.get(parent)?.children.delete(id))
          return refuse(reply, 400, `Evaluation ${parent} does not contain subevaluation ${id}`);
        return reply.code(200).send();
      });
      app.delete<Place>(`${base}/:id`, guarded, async ({ params }, reply) =>
        evaluations.delete(params.id) ? reply.code(200).send() : unknown(reply, params.id),
      );
    },
  };
};

const names = { 400: 'BAD_REQUEST', 404: 'NOT_FOUND', 500: 'INTERNAL_SERVER_ERROR' } as const;

const refuse = (reply: FastifyReply, statusCode: keyof typeof names, message: string) =>
  reply.code(statusCode).send({ statusCode, status: names[statusCode], message });

const unknown = (reply: FastifyReply, id: string) => refuse(reply, 404, `no evaluation ${id}`);
