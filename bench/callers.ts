// Callers of a service: so many at once, each with a connection that it keeps.
import { Agent, request as openRequest } from 'node:http';
import { percentile } from './report.ts';

export type Load = { readonly perSecond: number; readonly p50: number; readonly p99: number };

export class Callers {
  readonly #agent: Agent;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    this.#agent = new Agent({ keepAlive: true, maxSockets: count });
  }

  /** Posts this many bodies, and looks at each answer. */
  async call(
    url: string,
    requests: number,
    body: (index: number) => object,
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
          look(await this.#post(url, JSON.stringify(body(next))));
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

  #post(url: string, body: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      tenant: 'ga-1',
      'sub-account': 'sa-1',
    };
    const outgoing = openRequest(url, { agent: this.#agent, method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`status ${answer.statusCode}: ${text.slice(0, 500)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
