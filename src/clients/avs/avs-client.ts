import { z } from 'zod';
import { httpClient, type SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';
import { creationBody, tagBody, type NewEvaluation, type Tag } from './new-evaluation.ts';
import { passwordGrant, type PasswordGrant } from './password-grant.ts';

/** AvS, availability monitoring: two evaluations watch each runtime, one from inside the cluster, one from outside. */
export type AvsClient = {
  /**
   * Not safe to repeat: each call that arrives creates another evaluation, and AvS has no search by name. Whoever calls
   * it remembers the id; an answer that is lost leaves an evaluation behind.
   */
  readonly createEvaluation: (wanted: NewEvaluation, signal: AbortSignal) => Promise<Evaluation>;
  readonly getEvaluation: (id: string, signal: AbortSignal) => Promise<Evaluation>;
  /** Not safe to repeat either: look at the evaluation's tags first. */
  readonly addTag: (id: string, tag: Tag, signal: AbortSignal) => Promise<Evaluation>;
  readonly setLifecycle: (
    id: string,
    lifecycle: Lifecycle,
    signal: AbortSignal,
  ) => Promise<Evaluation>;
  /** Detaches it from its parent, then deletes it. What is gone already is as good as removed. */
  readonly removeEvaluation: (id: string, parentId: number, signal: AbortSignal) => Promise<void>;
};

export type Lifecycle = 'ACTIVE' | 'MAINTENANCE' | 'INACTIVE' | 'RETIRED' | 'DELETED';

export type Evaluation = z.output<typeof EvaluationAnswer>;

/** `url` is that of the evaluations: `https://avs.example.com/api/v2/evaluationmetadata`. */
export type AvsSettings = SystemSettings & PasswordGrant;

const TagAnswer = z
  .object({ content: z.string(), tag_class_id: z.int(), tag_class_name: z.string().default('') })
  .transform((tag): Tag => ({
    content: tag.content,
    classId: tag.tag_class_id,
    className: tag.tag_class_name,
  }));

const EvaluationAnswer = z.object({
  /** AvS has 64-bit ids. One that a number cannot hold is refused, because rounded it would be somebody else's. */
  id: z.union([z.int().positive(), z.string().regex(/^[1-9]\d*$/)]).transform(String),
  name: z.string(),
  /** A Lifecycle, or one that AvS has learned since. */
  status: z.string(),
  tags: z
    .array(TagAnswer)
    .nullish()
    .transform((tags) => tags ?? []),
});

export function avsClient(settings: AvsSettings): AvsClient {
  const http = httpClient('avs', settings, passwordGrant('avs', settings));
  const json = { 'content-type': 'application/json' };
  const pathOf = (id: string | number) => `/${encodeURIComponent(id)}`;
  const success = { expect: [200, 201] };
  const evaluation = { ...success, answer: EvaluationAnswer };

  const detach = async (id: string, parentId: number, signal: AbortSignal) => {
    try {
      await http.request({
        method: 'DELETE',
        path: `${pathOf(parentId)}/child${pathOf(id)}`,
        expect: [200, 201, 404],
        classify: (status, body) =>
          status === 400 && saysNotAChild(body) ? { reason: notAChild } : undefined,
        what: `detach evaluation ${id} from ${parentId}`,
        signal,
      });
    } catch (error) {
      if (!(error instanceof SystemError) || error.reason !== notAChild) throw error;
    }
  };

  return {
    async createEvaluation(wanted, signal) {
      const what = `create evaluation ${wanted.name}`;
      const request = { method: 'POST', path: '', body: creationBody(wanted) } as const;
      return (await http.request({ ...request, ...evaluation, what, signal })).body;
    },
    async getEvaluation(id, signal) {
      const what = `get evaluation ${id}`;
      const request = { method: 'GET', path: pathOf(id), headers: json } as const;
      return (await http.request({ ...request, ...evaluation, what, signal })).body;
    },
    async addTag(id, tag, signal) {
      const what = `add a tag to evaluation ${id}`;
      const request = { method: 'POST', path: `${pathOf(id)}/tag`, body: tagBody(tag) } as const;
      return (await http.request({ ...request, ...evaluation, what, signal })).body;
    },
    async setLifecycle(id, lifecycle, signal) {
      const what = `set evaluation ${id} to ${lifecycle}`;
      const body = JSON.stringify(lifecycle); // a bare JSON string
      const request = { method: 'PUT', path: `${pathOf(id)}/lifecycle`, headers: json } as const;
      return (await http.request({ ...request, body, ...evaluation, what, signal })).body;
    },
    async removeEvaluation(id, parentId, signal) {
      await detach(id, parentId, signal);
      await http.request({
        method: 'DELETE',
        path: pathOf(id),
        expect: [200, 201, 404],
        what: `delete evaluation ${id}`,
        signal,
      });
    },
  };
}

const notAChild = 'not_a_child';

function saysNotAChild(body: string): boolean {
  try {
    const { message } = z.object({ message: z.string() }).parse(JSON.parse(body));
    return message.toLowerCase().includes('does not contain subevaluation');
  } catch {
    return false; // some other body is some other complaint
  }
}
