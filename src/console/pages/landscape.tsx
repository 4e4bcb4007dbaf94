import { useEffect, useState } from 'preact/hooks';
import type { ActiveFault, Fault, Inventory, SeenRequest } from '../api-types.ts';
import { useLoaded } from '../api/use-loaded.ts';
import type { PageProps } from '../page-props.ts';
import { Choice, TextField } from '../parts/field.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { askLandscape, faultKinds, faultOf, inShort, type FaultKind } from './landscape-faults.ts';

type World = {
  readonly inventory: Inventory;
  readonly faults: readonly ActiveFault[];
  readonly requests: readonly SeenRequest[];
  readonly time: { readonly speed: number };
};

/** The simulated systems of a demo: what is in them, and what goes wrong there. */
export function LandscapePage({ config: { landscapeUrl = '' } }: PageProps) {
  const { data, error, reload } = useLoaded<World>(landscapeUrl, async () => {
    const [inventory, faults, requests, time] = await Promise.all([
      askLandscape<Inventory>(`${landscapeUrl}/_inventory`),
      askLandscape<ActiveFault[]>(`${landscapeUrl}/_faults`),
      askLandscape<SeenRequest[]>(`${landscapeUrl}/_requests`),
      askLandscape<World['time']>(`${landscapeUrl}/_time`),
    ]);
    return { inventory, faults, requests, time };
  });
  const [refusal, setRefusal] = useState<Error>();
  // It has no stream, and it is on this machine.
  useEffect(() => {
    const timer = setInterval(reload, 2_000);
    return () => clearInterval(timer);
  }, []);
  const act = (path: string, method: string, body?: object) => {
    setRefusal(undefined);
    askLandscape(`${landscapeUrl}${path}`, method, body).then(reload, setRefusal);
  };
  return (
    <Page title="Landscape">
      {error && <Problem error={error} retry={reload} />}
      {refusal && <Problem error={refusal} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && (
        <>
          <Speed speed={data.time.speed} onSpeed={(speed) => act('/_time', 'PUT', { speed })} />
          <Faults
            systems={Object.keys(data.inventory)}
            active={data.faults}
            onAdd={(fault) => act('/_faults', 'POST', fault)}
            onRemove={(id) => act(`/_faults/${id}`, 'DELETE')}
          />
          <Systems inventory={data.inventory} requests={data.requests} />
          <Requests requests={data.requests} />
        </>
      )}
    </Page>
  );
}

function Speed({
  speed,
  onSpeed,
}: {
  readonly speed: number;
  readonly onSpeed: (speed: number) => void;
}) {
  return (
    <section class="card">
      <h2>Speed</h2>
      <p>{speed.toLocaleString()} simulated seconds pass in each real one.</p>
      <div class="row" role="group" aria-label="Speed">
        {[1, 10, 40, 200, 1_000].map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === speed}
            onClick={() => onSpeed(each)}
          >
            {each.toLocaleString()} ×
          </button>
        ))}
      </div>
    </section>
  );
}

function Faults({
  systems,
  active,
  onAdd,
  onRemove,
}: {
  readonly systems: readonly string[];
  readonly active: readonly ActiveFault[];
  readonly onAdd: (fault: Fault) => void;
  readonly onRemove: (id: number) => void;
}) {
  const [system, setSystem] = useState(systems.includes('edp') ? 'edp' : (systems[0] ?? ''));
  const [kind, setKind] = useState<FaultKind>('unavailable');
  const [path, setPath] = useState('');
  return (
    <section class="card">
      <h2>Faults</h2>
      <form
        class="form wide"
        onSubmit={(event) => {
          event.preventDefault();
          onAdd(faultOf(system, kind, path));
        }}
      >
        <div class="fields">
          <Choice
            label="System"
            value={system}
            options={systems.map((each) => [each, each])}
            onValue={setSystem}
          />
          <Choice
            label="What goes wrong"
            value={kind}
            options={Object.entries(faultKinds).map(([each, { label }]) => [each, label])}
            onValue={(value) => setKind(value as FaultKind)}
          />
          <TextField
            label="Only for paths that match"
            hint="A regular expression; empty for all."
            value={path}
            onValue={setPath}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary">
            Switch on
          </button>
        </div>
      </form>
      <ul class="operations" aria-label="Active faults">
        {active.map(({ id, fault, left }) => (
          <li key={id} class="row">
            <span class="badge warn">{fault.system}</span>
            <span>
              {inShort(fault)}
              {left !== null && `, ${left} left`}
            </span>
            <button
              type="button"
              aria-label={`Switch off ${fault.system}: ${inShort(fault)}`}
              onClick={() => onRemove(id)}
            >
              Switch off
            </button>
          </li>
        ))}
      </ul>
      {active.length === 0 && <p class="muted">Everything works.</p>}
    </section>
  );
}

const Systems = ({
  inventory,
  requests,
}: {
  readonly inventory: Inventory;
  readonly requests: readonly SeenRequest[];
}) => (
  <section class="card">
    <h2>Systems</h2>
    <table class="list">
      <thead>
        <tr>
          <th scope="col">System</th>
          <th scope="col" class="number">
            Requests of late
          </th>
          <th scope="col">What exists there</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(inventory).map(([system, kinds]) => (
          <tr key={system}>
            <th scope="row">{system}</th>
            <td class="number" data-label="Requests of late">
              {requests.filter((each) => each.system === system).length}
            </td>
            <td data-label="What exists there">
              {Object.entries(kinds)
                .filter(([, things]) => things.length > 0)
                .map(([kind, things]) => (
                  <details class="disclosure" key={kind}>
                    <summary>
                      {things.length.toLocaleString()} {kind}
                    </summary>
                    {/* Focusable, so that the keyboard can scroll it. */}
                    <pre tabIndex={0}>{JSON.stringify(things.slice(0, 20), null, 1)}</pre>
                  </details>
                ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

function Requests({ requests }: { readonly requests: readonly SeenRequest[] }) {
  const last = requests.slice(-20).toReversed();
  if (last.length === 0) return <Empty title="Nobody has asked anything yet" />;
  return (
    <section class="card">
      <h2>Last requests</h2>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">System</th>
            <th scope="col">Request</th>
            <th scope="col">By</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {last.map(({ system, method, path, fields, by, status }, index) => (
            <tr key={requests.length - index}>
              <th scope="row">{system}</th>
              <td data-label="Request">
                <code>
                  {method} {path} {fields?.join(', ')}
                </code>
              </td>
              <td data-label="By">{by}</td>
              <td data-label="Answer">{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
