// The simulated outside systems as a process of their own: node bin/landscape.ts
import { z } from 'zod';
import { startLandscape, StateFileError } from '#landscape';

const usage = `Simulates every outside system over HTTP, for demos and load runs.

usage: [LANDSCAPE_PORT=9090] [LANDSCAPE_SPEED=20] [LANDSCAPE_LOG=requests] [LANDSCAPE_STATE=<file>]
       node bin/landscape.ts

  LANDSCAPE_PORT   where it listens, on 127.0.0.1; 0 for any free port     (9090)
  LANDSCAPE_SPEED  simulated seconds per real second: at 20, a runtime
                   is ready in about 20 seconds                            (20)
  LANDSCAPE_LOG    off, or requests: a line for each request to a system   (off)
  LANDSCAPE_STATE  a file that keeps everything, credentials included, so
                   that the next start goes on from there; kubeconfigs
                   stay good on the same port                              (none)

Each system has its name as prefix: <url>/edp, <url>/issuer, …
The switches:
  GET                  /_inventory   what exists out there, and who asked for it
  GET                  /_requests    what was asked of the systems
  GET PUT POST DELETE  /_faults      what goes wrong, and how often
  GET PUT              /_time        {"speed": 60}, {"advance": 3600000} (milliseconds)
  POST                 /_reset       everything as at the start

kubectl works, too: curl <url>/gardener/kubeconfig > garden.yaml
                    kubectl --kubeconfig garden.yaml -n garden-kyma get shoots`;

const Settings = z.object({
  LANDSCAPE_PORT: z.coerce.number().int().min(0).max(65_535).default(9_090),
  LANDSCAPE_SPEED: z.coerce.number().positive().max(1e6).default(20),
  LANDSCAPE_LOG: z.enum(['off', 'requests']).default('off'),
  LANDSCAPE_STATE: z.string().optional(),
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
const { LANDSCAPE_PORT: port, LANDSCAPE_SPEED: speed, LANDSCAPE_LOG: log } = settings.data;
const { LANDSCAPE_STATE: stateFile } = settings.data;

const shutdown = Promise.withResolvers<void>();
process.once('SIGTERM', shutdown.resolve);
process.once('SIGINT', shutdown.resolve);

try {
  await using landscape = await startLandscape({
    port,
    speed,
    ...(stateFile !== undefined && { stateFile }),
    onAnswer({ system, method, path, fields = [], by, status }) {
      const what = [system, method, path, ...fields].join(' ');
      if (log === 'requests') console.log(`${what} ${status} (${by})`);
    },
  });
  console.log(`landscape at ${landscape.url}, speed ${speed}`);
  for (const system of Object.keys(landscape.inventory()))
    console.log(`  ${system.padEnd(16)} ${landscape.url}/${system}`);
  console.log(
    `  ${'switches'.padEnd(16)} ${landscape.url}/_inventory, /_requests, /_faults, /_time, /_reset`,
  );
  await shutdown.promise;
} catch (error) {
  if (error instanceof StateFileError) console.error(`LANDSCAPE_STATE: ${error.message}`);
  else if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    console.error(
      `port ${port} is in use: stop what listens there, or set LANDSCAPE_PORT to another one`,
    );
  else throw error;
  process.exitCode = 1;
}
