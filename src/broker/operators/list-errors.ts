import { z } from 'zod';
import { suggestedAction, type ErrorGroup } from '#engine';
import { hours } from '#time';
import type { Api } from '../api/api.ts';
import { readers, route } from '../api/operator-route.ts';
import { paging } from '../api/read-query.ts';
import { isOfInstanceItself } from './instance-of.ts';
import { ErrorsAnswer } from './runtime-answer.ts';
import { moment } from './runtimes-query.ts';

/** Failures of the same kind, over the whole fleet. */
export const listErrors = (api: Api) =>
  route({
    method: 'GET',
    path: '/errors',
    right: readers,
    about:
      'Failures of the same kind together, with the runtimes that they are about; the most frequent first',
    query: z.object({ since: moment, until: moment, ...paging }),
    answers: ErrorsAnswer,
    async handle({ query: { page, page_size: limit, ...query } }) {
      const { groups, total } = await api.engine.statistics.errors({
        since: query.since ?? new Date(Date.now() - hours(24 * 7)),
        until: query.until ?? new Date(Date.now() + hours(24 * 365)),
        limit,
        offset: (page - 1) * limit,
      });
      const data = groups.map(errorItem);
      return { status: 200, body: { data, count: data.length, totalCount: total } };
    },
  });

const errorItem = ({ failure, ...group }: ErrorGroup) => ({
  fingerprint: group.fingerprint,
  type: group.type,
  ...(failure.step !== undefined && { step: failure.step }),
  ...(failure.system !== undefined && { system: failure.system }),
  class: failure.class,
  reason: failure.reason ?? '',
  message: failure.message,
  action: suggestedAction(failure, group.open === group.count),
  count: group.count,
  runtimes: isOfInstanceItself(group.type) ? group.subjects : [],
  runtimeCount: isOfInstanceItself(group.type) ? group.subjectCount : 0,
  firstAt: group.firstAt,
  lastAt: group.lastAt,
  open: group.open,
});
