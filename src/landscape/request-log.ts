import type { IncomingHttpHeaders } from 'node:http';
import { keeping } from './kept-state.ts';

export type SeenRequest = {
  readonly system: string;
  readonly method: string;
  /** With its query, but for the values of what may be a credential. */
  readonly path: string;
  /** Who asked, by the User-Agent. */
  readonly by: string;
  /** The root fields, of a GraphQL request. */
  fields?: readonly string[];
  status: number | 'no answer';
};

const kept = 1_000;
const credentials = /token|secret|password|code|assertion|signature|key|state/i;

/** What was asked of the systems, the oldest first. Bodies are not kept: credentials are in there. */
export class RequestLog {
  readonly list: SeenRequest[] = [];
  readonly state = keeping({ list: this.list });
  readonly #onAnswer: (request: SeenRequest) => void;

  constructor(onAnswer: (request: SeenRequest) => void) {
    this.#onAnswer = onAnswer;
  }

  add(request: SeenRequest): void {
    this.list.push(request);
    if (this.list.length > kept) this.list.shift();
  }

  answered(request: SeenRequest): void {
    this.#onAnswer(request);
  }
}

export const newRequest = ({
  path,
  headers,
  ...rest
}: {
  readonly system: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}): SeenRequest => ({ ...rest, path: masked(path), by: callerOf(headers), status: 'no answer' });

/** The name and version that a caller gives itself, without the rest of the line. */
export const callerOf = (headers: IncomingHttpHeaders): string =>
  (headers['user-agent'] ?? '').split(' ', 1)[0] || 'unknown';

function masked(path: string): string {
  const [place = '', ...query] = path.split('?');
  if (query.length === 0) return path;
  const parts = query
    .join('?')
    .split('&')
    .map((part) => {
      const [name = ''] = part.split('=', 1);
      return credentials.test(name) ? `${name}=…` : part;
    });
  return `${place}?${parts.join('&')}`;
}
