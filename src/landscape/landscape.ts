import { AsyncLocalStorage } from 'node:async_hooks';
import { fastify, type FastifyInstance } from 'fastify';
import { selfSignedCertificate } from '#certificates';
import { artifacts } from './artifacts/artifacts.ts';
import { avs } from './avs/avs.ts';
import { aws } from './aws/aws.ts';
import { azure } from './azure/azure.ts';
import { cis } from './cis/cis.ts';
import { controlPlane } from './control-plane/control-plane.ts';
import { director } from './director/director.ts';
import { disturb } from './disturb.ts';
import { edp } from './edp/edp.ts';
import { Faults } from './faults.ts';
import { openFrontDoor } from './front-door.ts';
import { gardener } from './gardener/gardener.ts';
import { ias } from './ias/ias.ts';
import { issuer } from './issuer/issuer.ts';
import { keeping } from './kept-state.ts';
import { lms } from './lms/lms.ts';
import { provisioner } from './provisioner/provisioner.ts';
import { reconciler } from './reconciler/reconciler.ts';
import { callerOf, RequestLog, type SeenRequest } from './request-log.ts';
import { serviceManager } from './service-manager/service-manager.ts';
import { spc } from './spc/spc.ts';
import { SimulatedTime } from './simulated-time.ts';
import type { MakeSystem, SimulatedSystem } from './simulated-system.ts';
import {
  readState,
  StateFile,
  StateFileError,
  unreadable,
  type SavedLandscape,
} from './state-file.ts';
import { steer } from './steer.ts';

const allSystems: readonly MakeSystem[] = [
  issuer,
  gardener,
  controlPlane,
  provisioner,
  director,
  avs,
  edp,
  ias,
  lms,
  azure,
  aws,
  serviceManager,
  reconciler,
  spc,
  cis,
  artifacts,
];

export type Landscape = {
  readonly url: string;
  readonly time: SimulatedTime;
  readonly faults: Faults;
  readonly inventory: () => Record<string, Readonly<Record<string, readonly unknown[]>>>;
  /** What was asked of the systems, the oldest first; the last thousand. */
  readonly requests: readonly SeenRequest[];
  /** Everything as at the start: no faults, nothing asked, only what is there by itself. */
  readonly reset: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type LandscapeOptions = {
  readonly port?: number;
  /** Simulated seconds per real second. */
  readonly speed?: number;
  readonly systems?: readonly MakeSystem[];
  /** Told of every request to a system once it has its answer, or will have none. */
  readonly onAnswer?: (request: SeenRequest) => void;
  /** Where everything is kept, so that a landscape that is started again goes on. Kubeconfigs stay good on the same port. */
  readonly stateFile?: string;
};

/** All systems on one port, a path prefix each, and what steers them: `/_inventory`, `/_faults`, … */
export async function startLandscape(options: LandscapeOptions = {}): Promise<Landscape> {
  const { port = 0, speed = 1, systems: makers = allSystems, onAnswer = () => {} } = options;
  const { stateFile } = options;
  const saved = stateFile === undefined ? undefined : readState(stateFile);
  let file: StateFile | undefined;
  const time = new SimulatedTime(speed, () => file?.changed());
  const faults = new Faults();
  const requests = new RequestLog(onAnswer);
  const identity = saved?.identity ?? selfSignedCertificate('landscape');
  const ownState = keeping({ time, faults, requests });
  const caller = new AsyncLocalStorage<string>();
  const place = { host: '' };

  const build = async () => {
    const systems = makers.map((make) => {
      const system: SimulatedSystem = make({
        time,
        url: () => `http://${place.host}/${system.name}`,
        secureUrl: () => `https://${place.host}/${system.name}`,
        certificate: identity.certificate,
        caller: () => caller.getStore() ?? 'unknown',
      });
      return system;
    });
    const names = systems.map(({ name }) => name);
    const app = newApp();
    disturb(app, names, { faults, requests });
    for (const system of systems) {
      void app.register(async (scope) => system.serve(scope), { prefix: `/${system.name}` });
    }
    steer(app, names, landscape);
    await app.ready();
    return { app, systems };
  };

  const landscape: Landscape = {
    get url() {
      return `http://${place.host}`;
    },
    time,
    faults,
    inventory: () =>
      Object.fromEntries(world.systems.map((system) => [system.name, system.inventory()])),
    requests: requests.list,
    async reset() {
      const { app } = world;
      time.forget();
      faults.remove();
      requests.list.length = 0;
      world = await build();
      file?.changed();
      void app.close(); // not awaited: the request that asked for this is still on its way
    },
    async [Symbol.asyncDispose]() {
      time.stop();
      await world.app.close();
      await door[Symbol.asyncDispose]();
      file?.close();
    },
  };
  const save = (): SavedLandscape => ({
    identity,
    landscape: ownState.save(),
    systems: Object.fromEntries(
      world.systems.flatMap(({ name, state }) => (state ? [[name, state.save()]] : [])),
    ),
  });
  const restore = ({ landscape: own, systems }: SavedLandscape) => {
    ownState.restore(own);
    for (const { name, state } of world.systems) if (name in systems) state?.restore(systems[name]);
  };

  let world = await build();
  const door = await openFrontDoor(port, identity, (request, response) => {
    response.once('close', () => file?.changed());
    caller.run(callerOf(request.headers), () => world.app.routing(request, response));
  });
  place.host = `127.0.0.1:${door.port}`;
  if (stateFile === undefined) return landscape;
  try {
    if (saved) restore(saved); // not earlier: what goes on tells addresses, and they have a port now
    const opened = new StateFile(stateFile, save);
    opened.write();
    file = opened;
  } catch (error) {
    await landscape[Symbol.asyncDispose]();
    throw error instanceof StateFileError ? error : unreadable(stateFile, error);
  }
  return landscape;
}

function newApp(): FastifyInstance {
  const app = fastify({
    bodyLimit: 10 * 2 ** 20,
    // Where people expect to get a token.
    rewriteUrl: ({ url = '' }) => (url === '/oauth2/token' ? '/issuer/token' : url),
    routerOptions: { maxParamLength: 1_000 }, // names of clouds and clusters are long
  });
  // Systems speak JSON, forms and YAML; whatever is not JSON is theirs to read.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  return app;
}
