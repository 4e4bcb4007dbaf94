import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '#time';
import type { Api } from '../../api/api.ts';
import type { StreamedEvent } from '../../api/operator-route.ts';
import { hasEnded } from '../orchestration.ts';
import { fullStatus, theOrchestration } from './orchestration-status.ts';

/** Whoever looks sees a change after so long. */
const every = seconds(1);

/** Looks from time to time: the upgrades of an orchestration run in all replicas, and nobody hears of each of them. */
export async function* streamOrchestration(
  api: Api,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  let known = '';
  while (!signal.aborted) {
    // First this: what changes afterwards is seen with the next look.
    const { state } = await theOrchestration(api, id);
    const status = await fullStatus(api, id);
    const text = JSON.stringify(status);
    if (text !== known) yield { event: 'orchestration', data: status };
    known = text;
    if (hasEnded(state)) return;
    await pause(every, undefined, { signal }).catch(() => undefined); // the caller has gone
  }
}
