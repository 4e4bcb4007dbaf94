import { useState } from 'preact/hooks';
import type { OperationInDetail } from '../api-types.ts';
import { Duration, Moment } from '../parts/moment.tsx';
import { Problem, Skeleton } from '../parts/notices.tsx';
import { Facts } from '../parts/page.tsx';
import { StateBadge, toneOf } from '../parts/state-badge.tsx';
import { can } from '../session/rights.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { useOperation } from '../timeline/use-operation.ts';
import { SteerDialog, type Steering } from './steer-dialog.tsx';

type DetailProps = { readonly id: string; readonly onChanged: () => void };

/** One operation: what it does or why it failed, what can be done about it, and its timeline. */
export function OperationDetail({ id, onChanged }: DetailProps) {
  const { operation, runs, error, reload } = useOperation(id);
  const [steering, setSteering] = useState<Steering>();
  const changed = () => {
    reload();
    onChanged();
  };
  return (
    <section class="card" aria-label="Operation">
      {error && <Problem error={error} retry={reload} />}
      {!operation && !error && <Skeleton rows={10} />}
      {operation && (
        <>
          <div class="card-head">
            <h2>
              {operation.type} <StateBadge state={operation.state} />
            </h2>
            {can('steer operations') && <Actions operation={operation} onChoose={setSteering} />}
          </div>
          <ExplanationPanel operation={operation} />
          <Timeline operation={operation} runs={runs} />
          <p class="id">{operation.operationID}</p>
        </>
      )}
      {operation && steering && (
        <SteerDialog
          operation={operation}
          steering={steering}
          onClose={() => setSteering(undefined)}
          onDone={changed}
        />
      )}
    </section>
  );
}

function Actions({
  operation,
  onChoose,
}: {
  readonly operation: OperationInDetail;
  readonly onChoose: (steering: Steering) => void;
}) {
  const isOpen = operation.endedAt === undefined;
  return (
    <div class="actions">
      {(isOpen || operation.state === 'failed' || operation.state === 'canceled') && (
        <button type="button" onClick={() => onChoose('retry')}>
          {isOpen ? 'Try now' : 'Retry'}
        </button>
      )}
      {isOpen && (
        // Which one is asked later: the current one may be another by the time of the click.
        <button type="button" onClick={() => onChoose('skip')}>
          Skip a step
        </button>
      )}
      {operation.skips && operation.state !== 'succeeded' && (
        <button type="button" onClick={() => onChoose('unskip')}>
          Do it after all
        </button>
      )}
      {isOpen && (
        <button type="button" class="danger" onClick={() => onChoose('cancel')}>
          Cancel
        </button>
      )}
    </div>
  );
}

function ExplanationPanel({ operation }: { readonly operation: OperationInDetail }) {
  const { explanation, endedAt, startedAt, state } = operation;
  const failure = explanation?.failure;
  const isRetrying = endedAt === undefined && (explanation?.attempt ?? 1) > 1;
  const facts: Parameters<typeof Facts>[0]['of'] = [
    ['Stage', explanation?.stage],
    ['Step', explanation?.step],
    ['Attempt', explanation?.attempt],
    ['Waits for', explanation?.waitingFor],
    ['Because', explanation?.because],
    ['Since', explanation?.since && <Moment at={explanation.since} />],
    ['Next try', explanation?.nextTryAt && <Moment at={explanation.nextTryAt} />],
    [
      'Deadline',
      explanation?.deadline && endedAt === undefined && <Moment at={explanation.deadline} />,
    ],
    ['Owner', explanation?.owner],
    ['Error class', failure?.class],
    ['Reason', failure?.reason],
    ['System', failure?.system],
    ['To be left out', Object.keys(operation.skips ?? {}).join(', ')],
    ['Not completed', explanation?.notCompleted?.join(', ')],
    ['Took', startedAt && <Duration from={startedAt} to={endedAt} />],
  ];
  return (
    <div class={`explanation ${isRetrying ? 'warn' : toneOf(state)}`} role="status">
      <div class="says">{explanation?.summary ?? operation.description}</div>
      {failure && !explanation?.summary.includes(failure.message) && <div>{failure.message}</div>}
      {explanation?.action && (
        <div>
          <strong>What to do:</strong> {explanation.action}
        </div>
      )}
      <Facts
        of={facts.filter(([, value]) => value !== undefined && value !== false && value !== '')}
      />
    </div>
  );
}
