import { useState } from 'preact/hooks';
import { send, withQuery } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Problem } from '../parts/notices.tsx';

type DeleteProps = {
  readonly instanceId: string;
  readonly name: string;
  readonly serviceId: string;
  readonly planId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** Whoever deletes a runtime has to type its name: nothing brings it back. */
export function DeleteRuntime(props: DeleteProps) {
  const { instanceId, name, serviceId, planId, onClose, onDone } = props;
  const [typed, setTyped] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [error, setError] = useState<Error>();
  const problem = typed === name ? undefined : `Type ${name} to confirm.`;
  const remove = async () => {
    setChecked(true);
    if (problem !== undefined) return;
    try {
      await send(
        'DELETE',
        withQuery(`/oauth/v2/service_instances/${encodeURIComponent(instanceId)}`, {
          service_id: serviceId,
          plan_id: planId,
          accepts_incomplete: 'true',
        }),
      );
      onDone();
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void remove();
        }}
      >
        <p>The cluster and all that is in it are removed. This cannot be undone.</p>
        <TextField
          label={`Type ${name}`}
          value={typed}
          onValue={setTyped}
          problem={isChecked ? problem : undefined}
          required
        />
        {error && <Problem error={error} />}
        <div class="row">
          <button type="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" class="danger">
            Delete
          </button>
        </div>
      </form>
    </Dialog>
  );
}
