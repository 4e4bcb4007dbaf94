import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';

/** As text: what is accepted, and how a refusal looks, depends on the endpoint. */
export function takeAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => {
    // Other bytes would silently become other characters.
    if (isUtf8(body)) done(null, body.toString());
    else done(new Refusal('MALFORMED_REQUEST', 'the body is not UTF-8'));
  });
}

/** Whoever still sends does not listen: a body that is somewhat too long is let in before it is refused. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete) return;
  let left = 16 * 2 ** 20;
  const { promise, resolve } = Promise.withResolvers<void>();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) resolve();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, resolve);
  request.resume();
  await promise;
}
