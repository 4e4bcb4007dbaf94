import assert from 'node:assert/strict';
import { gardenerClient } from '#clients';
import { minutes } from '#time';
import { shootOf } from '../../src/clients/gardener/testing.ts';
import type { Landscape } from '../../src/landscape/testing.ts';
import { kubeconfigOf } from './cluster.ts';
import { signal } from './contract.ts';

const ofGardener = kubeconfigOf('gardener');

const made = new WeakMap<Landscape, Promise<string>>();

/** An administrator's, for the cluster of shoot `a`, which is made for it. */
export function runtimeKubeconfig(landscape: Landscape): Promise<string> {
  const known = made.get(landscape) ?? makeRuntime(landscape);
  made.set(landscape, known);
  return known;
}

async function makeRuntime(landscape: Landscape): Promise<string> {
  const kubeconfig = await ofGardener(landscape);
  const { shoots } = gardenerClient({ kubeconfig, project: 'kyma' });
  await shoots.apply(shootOf('a'), signal);
  landscape.time.advance(minutes(6));
  const admin = (await shoots.adminKubeconfig('a', signal)) ?? assert.fail('there is no shoot');
  return admin.kubeconfig.reveal();
}
