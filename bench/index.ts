// npm run bench [-- engine] [--json] [--rounds=3]. Figures are to be compared within one run: machines differ, and vary.
import { parseArgs } from 'node:util';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#database';
import { benchBroker } from './broker.ts';
import { benchEngine } from './engine.ts';
import { benchProvisioner } from './provisioner.ts';
import { benchTakeover, benchWaiting } from './replicas.ts';
import { print, type Figure } from './report.ts';
import { benchRuntimes } from './runtimes.ts';

const benches: Record<string, (url: string, rounds: number) => Promise<Figure[]>> = {
  engine: benchEngine,
  waiting: benchWaiting,
  takeover: benchTakeover,
  provisioner: benchProvisioner,
  broker: benchBroker,
  runtimes: benchRuntimes,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
});
const unknown = positionals.find((name) => !(name in benches));
if (unknown !== undefined) {
  console.error(
    `There is no benchmark '${unknown}'; there are: ${Object.keys(benches).join(', ')}.`,
  );
  process.exit(2);
}

// As durable as in production: a server that does not wait for the disk would flatter everybody.
const server = process.env['DATABASE_URL']
  ? { url: process.env['DATABASE_URL'], stop: async () => {} }
  : await startEmbeddedPostgres({
      dataDirectory: join(tmpdir(), 'kyma-control-plane-bench'),
      settings: { max_connections: '200' },
    });
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    print(await bench(server.url, Number(values.rounds)), values.json);
  }
} finally {
  await server.stop();
}
