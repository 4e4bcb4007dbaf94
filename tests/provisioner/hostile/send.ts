import { Agent, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import type { HostileRequest } from './hostile-request.ts';

export type Answer = { readonly status: number; readonly body: string; readonly took: number };

const longest = 10_000;

/** Over connections that are kept; throws if there is no answer within ten seconds. */
export class Caller {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async send(request: HostileRequest): Promise<Answer> {
    const began = performance.now();
    const answer = request.bytes ? await this.#raw(request.bytes) : await this.#once(request);
    return { ...answer, took: performance.now() - began };
  }

  #once({ method, path, headers, body }: HostileRequest): Promise<Omit<Answer, 'took'>> {
    const { promise, resolve, reject } = Promise.withResolvers<Omit<Answer, 'took'>>();
    const { hostname, port } = this.#url;
    const length = body && { 'content-length': String(body.length) };
    const outgoing = openRequest(
      // The query of a request is sent as it is: the client would refuse some of them.
      { agent: this.#agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    outgoing.setTimeout(longest, () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  #raw(bytes: Buffer): Promise<Omit<Answer, 'took'>> {
    const { promise, resolve, reject } = Promise.withResolvers<Omit<Answer, 'took'>>();
    const chunks: Buffer[] = [];
    const socket = connect(Number(this.#url.port), this.#url.hostname, () => socket.end(bytes));
    socket.setTimeout(longest, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      const [head = '', ...rest] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: rest.join('\r\n\r\n') });
    });
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
