import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { BrokerConfig, ProvisionerConfig, readSettings, type StartConfig } from '#config';
import { defaultDataDirectory, startEmbeddedPostgres } from '#database';
import { startLandscape } from '#landscape';
import { runBroker } from './broker.ts';
import { demoSettings } from './demo-settings.ts';
import { runProvisioner } from './provisioner.ts';

export type Addresses = {
  readonly broker: string;
  readonly provisioner: string;
  readonly landscape: string;
};

/** Of the embedded PostgreSQL, and of the demo's own files. */
export type Directories = { readonly database: string; readonly demo: string };

/** Where `DATA_DIR` says, or in the project. */
export const directoriesOf = async ({ DATA_DIR: place }: StartConfig): Promise<Directories> =>
  place === undefined
    ? { database: await defaultDataDirectory('postgres'), demo: await defaultDataDirectory('demo') }
    : { database: place, demo: `${place}-demo` };

/** The whole product in this process, until the signal is aborted: landscape, provisioner and broker, on one database. */
export async function startAll(
  config: StartConfig,
  directories: Directories,
  shutdown: AbortSignal,
  onReady: (addresses: Addresses) => void,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  await mkdir(directories.demo, { recursive: true });
  const databaseUrl = config.DATABASE_URL ?? (await embedded(directories.database, resources));
  const landscape = resources.use(
    await startLandscape({
      port: config.LANDSCAPE_PORT,
      speed: config.LANDSCAPE_SPEED,
      stateFile: join(directories.demo, 'landscape.state'),
    }),
  );
  const settings = await demoSettings({
    databaseUrl,
    landscapeUrl: landscape.url,
    directory: directories.demo,
  });
  const { LOG_LEVEL } = config;
  const common = { LOG_LEVEL, PACE: `${config.LANDSCAPE_SPEED}` };
  const logOf = (service: string) => pino({ level: LOG_LEVEL, base: { service } });
  const stop = new AbortController();
  const signal = AbortSignal.any([shutdown, stop.signal]);
  const running: Promise<void>[] = [];
  /** Its address, as soon as it listens; whoever fails before that ends all. */
  const started = (run: (onReady: (address: string) => void) => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const ended = run(resolve);
    running.push(ended);
    return Promise.race([promise, ended.then(() => '')]);
  };
  try {
    const provisioner = await started((onReady) => {
      const PROVISIONER_PORT = `${config.PROVISIONER_PORT}`;
      const environment = { ...settings.provisioner, ...common, PROVISIONER_PORT };
      const own = readSettings(ProvisionerConfig, environment);
      return runProvisioner(own, logOf('provisioner'), signal, onReady);
    });
    const broker = await started((onReady) => {
      const environment = {
        ...settings.broker,
        ...common,
        BROKER_PORT: `${config.BROKER_PORT}`,
        KCP_EXTENSIONS: config.KCP_EXTENSIONS,
        PROVISIONER_URL: `${provisioner}/graphql`,
      };
      return runBroker(readSettings(BrokerConfig, environment), logOf('broker'), signal, onReady);
    });
    if (!signal.aborted) onReady({ broker, provisioner, landscape: landscape.url });
    await Promise.all(running);
  } finally {
    stop.abort(); // one of them may have failed, and then the other ends, too
    await Promise.allSettled(running);
  }
}

async function embedded(dataDirectory: string, resources: AsyncDisposableStack): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDirectory });
  resources.defer(server.stop);
  return server.url;
}
