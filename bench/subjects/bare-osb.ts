// The least that a service can do for a request: a route of Fastify that says what it was given. Its figures are what any
// service on this machine pays anyway.
import { readFile } from 'node:fs/promises';
import { fastify } from 'fastify';

const [catalogFile = ''] = process.argv.slice(2);
const catalog = await readFile(catalogFile, 'utf8');

const app = fastify();
app.get('/catalog', async (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(catalog),
);
app.get('/last_operation', async () => ({ state: 'in progress', description: 'runs Starting' }));
process.once('SIGTERM', () => void app.close());
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
