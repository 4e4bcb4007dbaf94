// The least that a service can do for a request: a route of Fastify, and one statement. Its figures are what any service on
// this machine and this database pays anyway.
import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';

const [url = '', connections = '20'] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: Number(connections) });
await pool.query('create table bare (id uuid primary key, body jsonb not null)');

const app = fastify();
app.post('/insert', async ({ body }) => {
  const id = randomUUID();
  await pool.query('insert into bare (id, body) values ($1, $2)', [id, body]);
  return { id };
});
app.post<{ Body: { id: string } }>('/select', async ({ body }) => {
  const { rows } = await pool.query('select * from bare where id = $1', [body.id]);
  return rows[0] as unknown;
});
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
