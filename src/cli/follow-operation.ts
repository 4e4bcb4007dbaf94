import { seconds } from '#time';
import { pause } from './login/device-code.ts';
import { operationNews, operationPicture } from './operation-picture.ts';
import { LiveLines } from './output/live-lines.ts';
import { Problem } from './problem.ts';
import { isEnded, type Operation, type OperationDetail } from './service/shapes.ts';
import type { Work } from './work.ts';

/** Shows what an operation does until it has ended. One that did not succeed is a problem. */
export async function followOperation(work: Work, id: string): Promise<Operation> {
  const { surroundings, screen, now } = work;
  const broker = work.broker();
  const path = `/operations/${encodeURIComponent(id)}`;
  const lines = new LiveLines(surroundings.notes);
  const isSeen = surroundings.notes.isTTY === true;
  const look = () => ({
    colour: screen.colour,
    width: isSeen ? (surroundings.notes.columns ?? 80) : undefined,
    now: now(),
  });
  for (;;) {
    const detail = await broker.get<OperationDetail>(path);
    const show = (operation: Operation) =>
      lines.show(operationPicture(operation, detail.stages, look()), operationNews(operation));
    show(detail);
    if (isEnded(detail.state)) return outcomeOf(detail);
    for await (const { event, data } of broker.events(`${path}/stream`)) {
      if (event === 'gap') break; // something was missed: look at the whole again
      if (event !== 'operation') continue;
      const operation = data as Operation; // what this stream sends
      show(operation);
      if (isEnded(operation.state)) return outcomeOf(operation);
    }
    await pause(seconds(1), surroundings.clock, surroundings.signal);
  }
}

function outcomeOf(operation: Operation): Operation {
  const { operationID, type, state, explanation, description = '' } = operation;
  if (state === 'succeeded') return operation;
  const why = explanation.failure?.message ?? description ?? explanation.summary;
  const action = explanation.action ?? explanation.failure?.action;
  throw new Problem(
    'operationFailed',
    [`${type} ${operationID} ${state}: ${why}`, action ?? `see kcp operations ${operationID}`].join(
      '; ',
    ),
  );
}
