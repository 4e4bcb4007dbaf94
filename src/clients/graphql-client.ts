import { z } from 'zod';
import { httpClient, type Authentication, type SystemSettings } from './http-client.ts';
import { SystemError } from './system-error.ts';

export type GraphqlRequest<Result> = {
  /** For messages: 'register the runtime'. */
  readonly what: string;
  /** Made by the tag `graphql`: arguments stand in the text, and the root field is called `result`. */
  readonly document: string;
  /** The shape of `result`; nullable where the system may answer null. */
  readonly result: z.ZodType<Result>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The document holds secrets: then the system's message, which may quote it, is left out. */
  readonly confidential?: boolean;
  readonly signal: AbortSignal;
};

export type GraphqlClient = {
  readonly request: <Result>(request: GraphqlRequest<Result>) => Promise<Result>;
};

/** What our systems add to an error. A member of another type than this counts as missing. */
const Extensions = z.object({
  error_code: z.number().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  error_reason: z.string().optional().catch(undefined),
  error_component: z.string().optional().catch(undefined),
});
export type GraphqlExtensions = z.infer<typeof Extensions>;

/** What an error means, told by its extensions; each system has its own rule. */
export type ClassifyGraphql = (extensions: GraphqlExtensions) => {
  readonly temporary: boolean;
  readonly reason: string;
  readonly component?: string | undefined;
};

/** The system understood GraphQL and said no. */
export class GraphqlError extends SystemError {
  /** `extensions.error_code`. */
  readonly code: number | undefined;
  /** Which part of the landscape behind the system failed, if it says so. */
  readonly component: string | undefined;

  constructor(
    system: string,
    message: string,
    details: ReturnType<ClassifyGraphql> & { readonly status: number; readonly code?: number },
  ) {
    super(system, message, details);
    this.code = details.code;
    this.component = details.component;
  }
}

const Answer = z.object({
  data: z.looseObject({}).nullish(),
  errors: z
    .array(
      z.object({ message: z.string().catch(''), extensions: Extensions.catch({}).default({}) }),
    )
    .nullish(),
});
type Answer = z.infer<typeof Answer>;

/**
 * GraphQL over POST to the system's URL itself. The answer's body decides, whatever the HTTP status: the first of its
 * errors, or its result. Only GraphQL says no for good; any other obstacle, be it a gateway or a token server, is an
 * operator's to mend: temporary.
 */
export function graphqlClient(
  system: string,
  settings: SystemSettings,
  classify: ClassifyGraphql,
  authentication?: Authentication,
): GraphqlClient {
  const http = httpClient(system, settings, authentication);

  async function post({ what, document, headers, signal }: GraphqlRequest<unknown>) {
    let unusual: { status: number; body: Answer } | undefined;
    try {
      return await http.request({
        method: 'POST',
        path: '',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          accept: 'application/json; charset=utf-8',
          ...headers,
        },
        body: { query: document, variables: null },
        expect: [200],
        answer: Answer,
        classify(status, text) {
          const body = answerIn(text);
          if (body) unusual = { status, body };
          return { temporary: !body }; // whoever speaks GraphQL is there, and need not be left alone
        },
        what,
        signal,
      });
    } catch (error) {
      if (unusual) return unusual;
      throw asTemporary(error);
    }
  }

  return {
    async request(request) {
      const { status, body } = await post(request);
      const [first] = body.errors ?? [];
      const failed = `${system}: cannot ${request.what}`;
      if (first) {
        const code = first.extensions.error_code;
        const message = request.confidential ? 'the message is withheld' : shortened(first.message);
        throw new GraphqlError(system, `${failed}: graphql: ${message}`, {
          ...classify(first.extensions),
          status,
          ...(code !== undefined && { code }),
        });
      }
      const result = z.object({ data: z.object({ result: request.result }) }).safeParse(body);
      if (result.success) return result.data.data.result;
      const [issue] = result.error.issues;
      const why = `${issue?.path.map(String).join('.')}: ${issue?.message}`;
      throw new SystemError(system, `${failed}: the answer is not as expected: ${why}`, {
        temporary: true,
        reason: 'wrong_answer',
        status,
      });
    },
  };
}

/** An answer of another status than 200 counts as GraphQL only if there is something in it. */
function answerIn(text: string): Answer | undefined {
  try {
    const { data, errors } = Answer.parse(JSON.parse(text));
    const result = data?.['result'] ?? undefined;
    return result !== undefined || errors?.length ? { data, errors } : undefined;
  } catch {
    return undefined; // a gateway's page
  }
}

function asTemporary(error: unknown): unknown {
  if (!(error instanceof SystemError) || error.temporary) return error;
  const { system, message, reason, status, retryAfter } = error;
  return new SystemError(system, message, {
    temporary: true,
    reason,
    ...(status !== undefined && { status }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error,
  });
}

/** Messages can quote whole documents. */
const shortened = (message: string) =>
  message.length > 300 ? `${message.slice(0, 300)}…` : message;
