import { seconds } from '#time';
import { pause } from './login/device-code.ts';
import { orchestrationSheet, progressText } from './orchestration-picture.ts';
import { LiveLines } from './output/live-lines.ts';
import { timeText } from './output/times.ts';
import { Problem } from './problem.ts';
import { isEnded, type Orchestration } from './service/shapes.ts';
import type { Work } from './work.ts';

/** Shows the progress of an orchestration until it has ended as wanted. A pause is told, and watched on. */
export async function followOrchestration(
  work: Work,
  id: string,
  wanted: 'succeeded' | 'canceled' = 'succeeded',
): Promise<void> {
  const { surroundings, screen } = work;
  const broker = work.broker();
  const path = `/orchestrations/${encodeURIComponent(id)}`;
  const lines = new LiveLines(surroundings.notes);
  for (;;) {
    const now = await broker.get<Orchestration>(path);
    lines.show(orchestrationSheet(now, screen.colour), newsOf(now));
    if (isEnded(now.state)) {
      if (now.state === wanted) return;
      throw new Problem(
        'operationFailed',
        `orchestration ${id} ${now.state}: ${now.description ?? ''}; see kcp o ${id} report`,
      );
    }
    for await (const { data } of broker.events(`${path}/stream`)) {
      const isWhole =
        typeof data === 'object' && data !== null && 'orchestrationID' in data && 'state' in data;
      if (!isWhole) break; // something happened: look at the whole again
      const next = { ...now, ...(data as Orchestration) }; // checked just now
      lines.show(orchestrationSheet(next, screen.colour), newsOf(next));
      if (isEnded(next.state)) break;
    }
    await pause(seconds(0.2), surroundings.clock, surroundings.signal);
  }
}

const newsOf = ({
  state,
  description = '',
  progress,
  updatedAt,
  createdAt,
  pausedBecause,
}: Orchestration) => ({
  at: timeText(updatedAt ?? createdAt),
  text: [state, progress ? progressText(progress) : description, pausedBecause]
    .filter(Boolean)
    .join(': '),
});
