import type { HttpMethod, RequestContext, ResponseContext } from '@kubernetes/client-node';
import { z } from 'zod';
import { SystemError } from '../system-error.ts';
import { anonymous, withinLimits, type SystemLimits } from '../system-limits.ts';
import { kubernetesAccess } from './kubernetes-access.ts';
import { parsed, refusal } from './kubernetes-answer.ts';

/** The kubeconfig says where the cluster is and who we are. */
export type KubernetesSettings = SystemLimits & { readonly kubeconfig: string };

export type KubernetesRequest<Answer> = {
  readonly method: HttpMethod;
  /** Parts that come from outside go through encodeURIComponent. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The shape of a successful answer; without it the body is not looked at. */
  readonly answer?: z.ZodType<Answer>;
  /** For messages: 'claim a secret binding'. */
  readonly what: string;
  readonly signal: AbortSignal;
};

export type KubernetesConnection = {
  readonly request: <Answer = undefined>(request: KubernetesRequest<Answer>) => Promise<Answer>;
  /** Undefined if the object is not there; a kind that is not served is an error all the same. */
  readonly find: <Answer>(request: KubernetesRequest<Answer>) => Promise<Answer | undefined>;
  /** All objects, page by page. */
  readonly list: <Item>(
    request: Pick<KubernetesRequest<never>, 'path' | 'what' | 'signal'> & {
      readonly item: z.ZodType<Item>;
      readonly labelSelector?: string;
    },
  ) => Promise<Item[]>;
};

const pageSize = 500;

/**
 * Talks to one API server: bounded in time and in number, and not at all for a while when it keeps failing. Of the
 * library, this uses what knows kubeconfigs. Its generated calls stay out: their errors quote whole answers, Secrets
 * included.
 */
export function kubernetesConnection(
  system: string,
  settings: KubernetesSettings,
): KubernetesConnection {
  const limits = withinLimits(system, settings, isOutage);
  const access = kubernetesAccess(system, settings.kubeconfig);

  async function send(
    context: RequestContext,
    { what, signal }: KubernetesRequest<unknown>,
    toServer: (context: RequestContext) => Promise<ResponseContext>,
  ): Promise<{ response: ResponseContext; text: string }> {
    context.setSignal(limits.signalFor(signal));
    try {
      const response = await toServer(context);
      return { response, text: await response.body.text() };
    } catch (cause) {
      signal.throwIfAborted();
      throw new SystemError(system, `${system}: cannot ${what}: no answer`, {
        temporary: true,
        reason: 'unreachable',
        cause,
      });
    }
  }

  async function once<Answer>(request: KubernetesRequest<Answer>): Promise<Answer> {
    const { newContext, toServer } = await access();
    const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
    const context = newContext(request.path + query, request.method);
    context.setHeaderParam('Accept', 'application/json');
    context.setHeaderParam('User-Agent', settings.caller ?? anonymous);
    if (request.body !== undefined) {
      context.setHeaderParam('Content-Type', request.contentType ?? 'application/json');
      context.setBody(JSON.stringify(request.body));
    }
    const { response, text } = await send(context, request, toServer);
    const { httpStatusCode: status } = response;
    if (status < 200 || status > 299) throw refusal(system, request.what, response, text);
    return parsed(system, request, text);
  }

  const request: KubernetesConnection['request'] = (each) =>
    limits.run(each.signal, () => once(each));

  return {
    request,
    async find(each) {
      try {
        return await request(each);
      } catch (error) {
        if (error instanceof SystemError && error.reason === 'NotFound') return undefined;
        throw error;
      }
    },
    async list({ item, labelSelector, ...each }) {
      const answer = z.object({
        metadata: z.object({ continue: z.string().default('') }).default({ continue: '' }),
        items: z.array(item),
      });
      const items = [];
      let next = '';
      do {
        const query = {
          ...(labelSelector && { labelSelector }),
          limit: `${pageSize}`,
          ...(next && { continue: next }),
        };
        const page = await request({ ...each, method: 'GET', query, answer });
        items.push(...page.items);
        next = page.metadata.continue;
      } while (next);
      return items;
    },
  };
}

/** Conflicts are the daily life of a healthy API server: they break no circuit. */
const isOutage = (error: unknown) =>
  error instanceof SystemError && error.temporary && error.status !== 409 && error.status !== 410;
