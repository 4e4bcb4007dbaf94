// Callers of a service: so many at once, each with a connection that it keeps.
import { Agent, request as openRequest } from 'node:http';
import { percentile } from './report.ts';

export type Load = { readonly perSecond: number; readonly p50: number; readonly p99: number };

export type Question = { readonly method: string; readonly url: string; readonly body?: object };

const ofTenant = { tenant: 'ga-1', 'sub-account': 'sa-1' };

export class Callers {
  readonly #agent: Agent;
  readonly #count: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(count: number, headers: Readonly<Record<string, string>> = ofTenant) {
    this.#count = count;
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, maxSockets: count });
  }

  /** Posts this many bodies, and looks at each answer. */
  call(
    url: string,
    requests: number,
    body: (index: number) => object,
    look?: (answer: string) => unknown,
  ): Promise<Load> {
    return this.ask(requests, (index) => ({ method: 'POST', url, body: body(index) }), look);
  }

  /** Sends this many requests, counted from 1, and looks at each answer. */
  async ask(
    requests: number,
    question: (index: number) => Question,
    look: (answer: string) => unknown = () => {},
  ): Promise<Load> {
    const took: number[] = [];
    let next = 0;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: this.#count }, async () => {
        while (next < requests) {
          const start = performance.now();
          next += 1;
          look(await this.#send(question(next)));
          took.push(performance.now() - start);
        }
      }),
    );
    const seconds = (performance.now() - began) / 1_000;
    return {
      perSecond: requests / seconds,
      p50: percentile(took, 0.5),
      p99: percentile(took, 0.99),
    };
  }

  #send({ method, url, body }: Question): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const text = body && JSON.stringify(body);
    const headers = {
      ...this.#headers,
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    };
    const outgoing = openRequest(url, { agent: this.#agent, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const told = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200 || answer.statusCode === 202) resolve(told);
        else reject(new Error(`status ${answer.statusCode}: ${told.slice(0, 500)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(text);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
