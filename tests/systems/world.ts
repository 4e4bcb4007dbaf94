import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { SystemError } from '#clients';
import { startLandscape } from '../../src/landscape/testing.ts';
import type { Limits, OpenContract, Outcome, SystemContract } from './contract.ts';
import { endpointFor, endpointOf, patternOf } from './endpoint.ts';
import { secretsIn, textsOf } from './secrets.ts';

type Landscape = Awaited<ReturnType<typeof startLandscape>>;
export type FaultAction = Parameters<Landscape['faults']['add']>[0]['action'];
export type World = Awaited<ReturnType<typeof startWorld>>;

/** Nothing moves by itself there: how long a test takes makes no difference. */
const speed = 0.01;

/** A landscape with what one call needs, and the call. */
export async function startWorld(
  contract: SystemContract,
  name: string,
  { limits = {}, prepared = true }: { limits?: Limits; prepared?: boolean } = {},
) {
  const { prefix = contract.system, base } = contract;
  await using opened = new AsyncDisposableStack(); // ends what was begun if something here fails
  const landscape = opened.use(await startLandscape({ systems: contract.simulators, speed }));
  const secrets = new Set<string>();
  const { calls } = await contract.open(landscape, { breakAfter: 1_000, ...limits }, (secret) =>
    secrets.add(secret),
  );
  const call = calls[name] ?? assert.fail(`${contract.system} has no call ${name}`);
  if (prepared) await call.prepare?.();
  const before = landscape.requests.length;
  const known = [...call.endpoints, ...(contract.token ? [contract.token] : [])];
  /** Since all was prepared: the endpoints, or what is none of them. */
  const asked = () =>
    landscape.requests.slice(before).map((request) => {
      const { method, path, fields = [] } = request;
      return endpointFor(request, known, base) ?? [method, path, ...fields].join(' ');
    });

  const open = opened.move();
  return {
    landscape,
    call: call.call,
    asked,
    /** From now on, at one of the endpoints. */
    disturb(endpoint: string, action: FaultAction, count?: number) {
      const { method, field, ...place } = endpointOf(endpoint, base);
      landscape.faults.add({
        system: prefix,
        method,
        path: patternOf({ method, ...place }),
        ...(field !== undefined && { field }),
        ...(count !== undefined && { count }),
        action,
      });
    },
    /** Until somebody has asked there: a fault keeps him waiting. */
    async untilAskedAt(endpoint: string) {
      while (!asked().includes(endpoint)) await setImmediate();
    },
    /** Random names and times put aside. */
    inventory: () =>
      JSON.stringify(landscape.inventory(), undefined, 1)
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24}/g, '<id>')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{6,}/g, '<number>'),
    /** What was seen of a result or an error, by whom ever. */
    showsNoSecret(what: string, error?: unknown) {
      const texts = [
        ...(error === undefined ? [] : textsOf(error)),
        JSON.stringify(landscape.inventory()),
        JSON.stringify(landscape.requests),
      ];
      assert.deepEqual(secretsIn(texts, secrets), [], `${what}: secrets can be seen`);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Runs the call, and says whether it ended as it should. */
export async function endsIn(
  world: World,
  what: string,
  { system }: SystemContract,
  expected: Outcome,
  signal = new AbortController().signal,
): Promise<void> {
  const ended = await world.call(signal).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in ended) {
    const { error } = ended;
    world.showsNoSecret(what, error);
    assert.ok(error instanceof SystemError, `${what}: ${inspect(error)}`);
    assert.ok(typeof expected === 'object', `${what} fails: ${inspect(error)}`);
    const { temporary, reason, status, retryAfter } = error;
    assert.partialDeepStrictEqual(
      { system: error.system, temporary, reason, status, retryAfter },
      { system, ...expected },
      `${what}: ${error.message}`,
    );
    return;
  }
  world.showsNoSecret(what);
  assert.ok(typeof expected === 'string', `${what} gives ${inspect(ended.value)}`);
  if (expected === 'nothing') assert.equal(ended.value, undefined, what);
}

/** The client and its calls by name, to be looked at: what they talk to is gone again. */
export async function callsOf(contract: SystemContract): Promise<OpenContract> {
  await using landscape = await startLandscape({ systems: contract.simulators });
  return await contract.open(landscape, {}, () => {}); // before the landscape goes
}
