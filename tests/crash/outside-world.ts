import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What replicas change outside of the database, over real HTTP. Creating what exists is an error, and counted. */
export class OutsideWorld {
  /** How often each thing was created. Once is right. */
  readonly created = new Map<string, number>();
  /** Called around the effect with its number (from 1), for tests that kill the caller there. */
  onEffect: (number: number, moment: 'before' | 'after') => void = () => {};
  readonly #server = createServer((request, response) => {
    void this.#answer(request.method ?? '', request.url ?? '', response);
  });
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  #effects = 0;

  static async open(): Promise<OutsideWorld> {
    const world = new OutsideWorld();
    await new Promise<void>((resolve) => world.#server.listen(0, '127.0.0.1', resolve));
    return world;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get effects(): number {
    return this.#effects;
  }

  /** A step that asks for this gate stays there until it is open. */
  gate(name: string): { readonly reached: Promise<void>; readonly open: () => void } {
    const [reached, opened] = [this.#gate(`${name} reached`), this.#gate(`${name} open`)];
    return { reached: reached.promise, open: opened.resolve };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  async #answer(method: string, path: string, response: ServerResponse): Promise<void> {
    const [, kind = '', name = ''] = path.split('/');
    const end = (status: number) => response.writeHead(status).end();
    if (kind === 'gate') {
      this.#gate(`${name} reached`).resolve();
      await this.#gate(`${name} open`).promise;
      return void end(200);
    }
    if (method === 'GET') return void end(this.created.has(name) ? 200 : 404);
    this.#effects += 1;
    const number = this.#effects;
    this.onEffect(number, 'before');
    if (response.destroyed) return;
    this.created.set(name, (this.created.get(name) ?? 0) + 1);
    this.onEffect(number, 'after');
    end(201);
  }
}
