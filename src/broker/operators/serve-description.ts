import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Api } from '../api/api.ts';
import type { OperatorRoute } from '../api/operator-route.ts';
import { describeApi } from './openapi.ts';

const files: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Environment broker: API</title>
    <link rel="stylesheet" href="/swagger/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/swagger/swagger-ui-bundle.js"></script>
    <script src="/swagger/swagger-ui-standalone-preset.js"></script>
    <script src="/swagger/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
});
`;

// The page's own style attributes and its pictures; everything else is a file of ours.
const policy = `default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'`;

/**
 * `/openapi.json`, and `/swagger` for people. The files are those that @fastify/swagger-ui comes with; its own routes say
 * nothing of rights, and here nobody gets in where none is said.
 */
export function serveDescription(
  app: FastifyInstance,
  { api }: Api,
  routes: readonly OperatorRoute[],
): void {
  const open = { config: { right: 'everybody' } } as const;
  let description: object | undefined;
  app.get('/openapi.json', open, async (_request, reply) => {
    const about = { version: api.version, url: api.publicUrl };
    description ??= describeApi(app.places, routes, about);
    return reply.send(description);
  });
  const directory = join(
    dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')),
    'static',
  );
  const texts: Readonly<
    Record<string, readonly [type: string, text: () => Promise<Buffer | string>]>
  > = {
    '/swagger': ['text/html; charset=utf-8', async () => page],
    '/swagger/': ['text/html; charset=utf-8', async () => page],
    '/swagger/start.js': ['text/javascript; charset=utf-8', async () => start],
    ...Object.fromEntries(
      Object.entries(files).map(([name, type]) => [
        `/swagger/${name}`,
        [type, () => readFile(join(directory, name))] as const,
      ]),
    ),
  };
  for (const [path, [type, text]] of Object.entries(texts))
    app.get(path, open, async (_request, reply) =>
      reply
        .header('content-security-policy', policy)
        .type(type)
        .send(await text()),
    );
}
