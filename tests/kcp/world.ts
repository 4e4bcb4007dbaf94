// The broker with its operator API and authentication on, the landscape, and people who use kcp.
import { bearerTokens, gate } from '#access';
import { startApi, type ApiWorldOptions } from '../../src/broker/api/testing.ts';
import { startMachine, type KcpOptions, type KcpRun } from '../../src/cli/testing.ts';
import { audience } from '../../src/landscape/issuer/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';

export async function startKcpWorld(options: ApiWorldOptions = {}) {
  await using resources = new AsyncDisposableStack();
  const landscape = resources.use(await startLandscape());
  const { admit } = gate(bearerTokens({ issuer: `${landscape.url}/issuer`, audience }));
  const broker = resources.use(
    await startApi({
      landscape,
      api: {
        // What the test itself orders comes without a token; kcp always brings one.
        authorize: async ({ headers: { authorization } }, right) =>
          authorization === undefined ? undefined : admit(authorization, right),
      },
      ...options,
    }),
  );

  /** A machine on which this user of the demo is logged in. */
  const login = async (user: string) => {
    const machine = await startMachine({
      KCP_OIDC_ISSUER_URL: `${landscape.url}/issuer`,
      KCP_OIDC_CLIENT_ID: 'kcp',
      KCP_KEB_API_URL: broker.url,
      KCP_MOTHERSHIP_API_URL: `${landscape.url}/reconciler`,
    });
    const { code, notes } = await machine.kcp(['login', '-u', user, '-p', `${user}-demo-password`]);
    if (code !== 0) throw new Error(notes);
    return machine;
  };
  const admin = resources.use(await login('admin'));

  /** A command line of the one who may do everything, which must go well. */
  const kcp = async (line: string, more: KcpOptions = {}): Promise<KcpRun> => {
    const run = await admin.kcp(words(line), more);
    if (run.code !== 0) throw new Error(`kcp ${line} ended with ${run.code}: ${run.notes}`);
    return run;
  };

  const moved = resources.move();
  return {
    broker,
    landscape,
    admin,
    login,
    kcp,
    /** The same, which may go wrong. */
    tried: (line: string, more: KcpOptions = {}) => admin.kcp(words(line), more),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** As a shell takes it apart; "" keep words together. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
