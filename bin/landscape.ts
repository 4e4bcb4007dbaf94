// The simulated outside systems as a process of their own: node bin/landscape.ts
import { z } from 'zod';
import { startLandscape } from '#landscape';

const usage = `Simulates every outside system over HTTP, for demos and load runs.

usage: [PORT=4000] [SPEED=1] [LOG=requests] node bin/landscape.ts

  PORT   where it listens, on 127.0.0.1; 0 for any free port     (4000)
  SPEED  simulated seconds per real second                       (1)
  LOG    off, or requests: a line for each request to a system   (off)

Each system has its name as prefix: <url>/edp, <url>/issuer, …
<url>/_landscape/ has the switches:
  GET              inventory   what exists out there
  GET              requests    what was asked of the systems
  GET POST DELETE  faults      what goes wrong, and how often
  GET PUT          time        {"speed": 60}, {"advance": 3600000} (milliseconds)`;

const Settings = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4_000),
  SPEED: z.coerce.number().positive().max(1e6).default(1),
  LOG: z.enum(['off', 'requests']).default('off'),
});

const [option] = process.argv.slice(2);
if (option !== undefined) {
  const isHelp = option === '--help' || option === '-h';
  if (isHelp) console.log(usage);
  else console.error(`unknown option ${option}\n\n${usage}`);
  process.exit(isHelp ? 0 : 2);
}

const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
const settings = Settings.safeParse(given);
if (!settings.success) {
  for (const { path, message } of settings.error.issues)
    console.error(`${path.join('.')}: ${message}`);
  process.exit(2);
}
const { PORT: port, SPEED: speed, LOG: log } = settings.data;

const shutdown = Promise.withResolvers<void>();
process.once('SIGTERM', shutdown.resolve);
process.once('SIGINT', shutdown.resolve);

try {
  await using landscape = await startLandscape({
    port,
    speed,
    onAnswer({ system, method, path, status }) {
      // Queries may hold codes and tokens.
      if (log === 'requests') console.log(`${system} ${method} ${path.split('?')[0]} ${status}`);
    },
  });
  console.log(`landscape at ${landscape.url}, speed ${speed}`);
  for (const system of Object.keys(landscape.inventory()))
    console.log(`  ${system.padEnd(16)} ${landscape.url}/${system}`);
  console.log(`  ${'switches'.padEnd(16)} ${landscape.url}/_landscape`);
  await shutdown.promise;
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  console.error(`port ${port} is in use: stop what listens there, or set PORT to another one`);
  process.exitCode = 1;
}
