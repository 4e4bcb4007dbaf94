import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import { builtConsole, readConsoleFiles, type ConsoleFile } from './console-files.ts';

export type ConsoleSettings = {
  /** Whom people say to who they are. Without it nobody is asked. */
  readonly issuer?: string;
  readonly clientId: string;
  /** Of a demo: the simulated systems, which the console can then steer. */
  readonly landscapeUrl?: string;
  /** Of the bundle. */
  readonly directory?: string;
};

const notBuilt = `The web console is not built.

Run npm run setup in the project's directory, and start again. npm start and npm test do that by themselves.
The API does not need it: see /swagger.
`;

/** The web console: its files, below `/ui/`, and what it has to know before anybody has signed in. */
export async function serveConsole(app: FastifyInstance, settings: ConsoleSettings): Promise<void> {
  const files = await readConsoleFiles(settings.directory ?? builtConsole);
  const policy = contentSecurityPolicy(settings);
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const index = files.get('index.html');
    if (!index) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
    void reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': policy });
    return send(request, reply, index);
  };
  const routes: Readonly<Record<string, typeof page>> = {
    '/': async (request, reply) =>
      files.size === 0 ? page(request, reply) : reply.redirect('/ui/'),
    '/ui': async (_request, reply) => reply.redirect('/ui/'),
    // Every address of the console is answered with its page, so that each can be linked to.
    '/ui/*': page,
    // Where the issuer sends people back to.
    '/callback': page,
    '/ui/assets/*': async (request, reply) => {
      const { pathname } = new URL(request.url, 'http://console');
      const file = files.get(pathname.slice('/ui/'.length));
      if (!file) throw new Refusal('NOT_SERVED', `GET ${pathname} is not served`);
      // Their names change with their content.
      void reply.header('cache-control', 'public, max-age=31536000, immutable');
      return send(request, reply, file);
    },
    '/console/config.json': async (_request, reply) =>
      reply.header('cache-control', 'no-cache').send({
        ...(settings.issuer !== undefined && { issuer: settings.issuer }),
        clientId: settings.clientId,
        demo: settings.landscapeUrl !== undefined,
        ...(settings.landscapeUrl !== undefined && { landscapeUrl: settings.landscapeUrl }),
      }),
  };
  for (const [path, handle] of Object.entries(routes))
    app.get(path, { config: { right: 'everybody' } }, handle);
}

function send({ headers }: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const takesGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  return reply
    .headers({
      'content-type': file.type,
      vary: 'accept-encoding',
      ...(takesGzip && { 'content-encoding': 'gzip' }),
    })
    .send(takesGzip ? file.compressed : file.content);
}

/** Nothing but our own files runs, and nobody else is talked to but those who must be. */
function contentSecurityPolicy({ issuer, landscapeUrl }: ConsoleSettings): string {
  const others = [issuer, landscapeUrl].flatMap((url) =>
    url === undefined ? [] : [new URL(url).origin],
  );
  const also = [...new Set(others)].map((origin) => ` ${origin}`).join('');
  return [
    `default-src 'self'`,
    `connect-src 'self'${also}`,
    `form-action 'self'${also}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
