import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { spcClient, SystemError } from '#clients';
import { spc } from '../../landscape/spc/testing.ts';
import { startLandscape } from '../../landscape/testing.ts';
import { mayHaveArrived } from './may-have-arrived.ts';

const landscape = await startLandscape({ systems: [spc] });
after(() => landscape[Symbol.asyncDispose]());
beforeEach(() => landscape.faults.remove());

const { signal } = new AbortController();
const failureOf = async (url: string, tries = 1): Promise<SystemError> => {
  const client = spcClient({ url: `${url}/spc` });
  for (;;) {
    const error: unknown = await client
      .createMaintenanceEvent('o-1', 'kyma', [], signal)
      .catch((failed: unknown) => failed);
    assert.ok(error instanceof SystemError);
    if (--tries === 0) return error;
  }
};

for (const [what, action, arrives] of [
  ['was refused', { kind: 'answer', status: 503 }, false],
  ['is wrong', { kind: 'answer', status: 400 }, false],
  ['somebody in between gave up on', { kind: 'answer', status: 504 }, true],
  ['broke off', { kind: 'reset' }, true],
  ['was done, but whose answer is lost', { kind: 'lost answer' }, true],
] as const)
  test(`a call that ${what} ${arrives ? 'may have arrived' : 'has done nothing'}`, async () => {
    landscape.faults.add({ system: 'spc', action });
    assert.equal(mayHaveArrived(await failureOf(landscape.url)), arrives);
  });

test('a call that found nobody, or was not made because too many had failed, has done nothing', async () => {
  const gone = await startLandscape({ systems: [spc] });
  await gone[Symbol.asyncDispose]();
  assert.equal(mayHaveArrived(await failureOf(gone.url)), false);
  landscape.faults.add({ system: 'spc', action: { kind: 'reset' } });
  const leftAlone = await failureOf(landscape.url, 100);
  assert.equal(leftAlone.reason, 'left_alone');
  assert.equal(mayHaveArrived(leftAlone), false);
});
