import { useState } from 'preact/hooks';
import type { ActionAnswer, OperationInDetail } from '../api-types.ts';
import { send } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Problem } from '../parts/notices.tsx';

export type Steering = 'retry' | 'skip' | 'unskip' | 'cancel';

const titles = {
  retry: 'Try again now?',
  skip: 'Leave a step out?',
  unskip: 'Do a step after all?',
  cancel: 'Cancel this operation?',
};

type SteerProps = {
  readonly operation: OperationInDetail;
  readonly steering: Steering;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** Asks for the reason, can tell what would happen, and does it. */
export function SteerDialog({ operation, steering, onClose, onDone }: SteerProps) {
  const steps = stepsFor(steering, operation);
  const current = operation.explanation?.step ?? '';
  const [step, setStep] = useState(steps.includes(current) ? current : (steps[0] ?? ''));
  const [because, setBecause] = useState('');
  const [answer, setAnswer] = useState<ActionAnswer>();
  const [error, setError] = useState<Error>();
  const needsReason = steering === 'skip' || steering === 'cancel';
  const problem = needsReason && because.trim() === '' ? 'Say why: it stays on record.' : undefined;
  const [isChecked, setChecked] = useState(false);
  const run = async (dryRun: boolean) => {
    setChecked(true);
    if (problem !== undefined) return;
    setError(undefined);
    try {
      const path = `/operations/${encodeURIComponent(operation.operationID)}/${steering}`;
      const told = await send<ActionAnswer>('POST', path, {
        ...(because.trim() && { because: because.trim() }),
        ...(steps.length > 0 && { step }),
        ...(dryRun && { dryRun }),
      });
      setAnswer({ ...told, dryRun });
      if (!dryRun) {
        onDone();
        onClose();
      }
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  return (
    <Dialog title={titles[steering]} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run(false);
        }}
      >
        <p>{operation.type}</p>
        {steps.length > 0 && (
          <Choice
            label="Step"
            value={step}
            options={steps.map((each) => [each, each])}
            onValue={setStep}
          />
        )}
        <TextField
          label="Reason"
          hint={needsReason ? undefined : 'May be left empty.'}
          problem={isChecked ? problem : undefined}
          required={needsReason}
          value={because}
          onValue={setBecause}
        />
        {error && <Problem error={error} />}
        {answer?.dryRun && (
          <div class="notice" role="status">
            <strong>What would happen</strong>
            <div>{answer.effect}</div>
          </div>
        )}
        <div class="row">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="button" onClick={() => void run(true)}>
            Dry run
          </button>
          <button type="submit" class="primary">
            Do it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Those of which one is to be chosen. */
function stepsFor(steering: Steering, { stages, skips = {} }: OperationInDetail): string[] {
  const ahead = stages
    .filter(({ state }) => state !== 'finished')
    .flatMap((stage) => stage.steps.map(({ name }) => name));
  if (steering === 'skip') return ahead;
  return steering === 'unskip' ? ahead.filter((name) => name in skips) : [];
}
