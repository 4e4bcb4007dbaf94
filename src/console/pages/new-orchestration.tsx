import { useState } from 'preact/hooks';
import type { OrchestrationPreview } from '../api-types.ts';
import { send } from '../api/request.ts';
import { counted } from '../parts/counted.ts';
import { Choice, TextField } from '../parts/field.tsx';
import { Empty, Problem } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { navigate } from '../routing/route.ts';
import {
  emptyDraft,
  problemsOf,
  requestOf,
  type OrchestrationDraft,
} from './orchestration-request.ts';

const plans = ['aws', 'azure', 'azure_lite', 'gcp', 'openstack', 'trial', 'free', 'preview'];

/** Which runtimes, to what, how carefully; and which ones that would be, before anything happens. */
export function NewOrchestrationPage() {
  const [draft, setDraft] = useState(emptyDraft);
  const [preview, setPreview] = useState<OrchestrationPreview>();
  const [error, setError] = useState<Error>();
  const [isChecked, setChecked] = useState(false);
  const problems = problemsOf(draft);
  const change = (changes: Partial<OrchestrationDraft>) => {
    setDraft({ ...draft, ...changes });
    setPreview(undefined); // it was of something else
  };
  const ask = async (isPreview: boolean) => {
    setChecked(true);
    setError(undefined);
    if (Object.keys(problems).length > 0) return;
    const path = `/upgrade/${draft.kind}`;
    try {
      if (isPreview)
        return setPreview(
          await send<OrchestrationPreview>('POST', `${path}?preview=true`, requestOf(draft)),
        );
      const { orchestrationID } = await send<{ orchestrationID: string }>(
        'POST',
        path,
        requestOf(draft),
      );
      navigate(`/ui/orchestrations/${orchestrationID}`);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  const text = (name: keyof OrchestrationDraft, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      problem={isChecked ? problems[name] : undefined}
      value={String(draft[name])}
      onValue={(value) => change({ [name]: value })}
    />
  );
  const check = (name: 'inWindow' | 'dryRun', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={draft[name]}
        onChange={({ currentTarget }) => change({ [name]: currentTarget.checked })}
      />
      {label}
    </label>
  );
  return (
    <Page title="Upgrade many runtimes" above={<a href="/ui/orchestrations">Orchestrations</a>}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void ask(false);
        }}
      >
        <div class="fields">
          <Choice
            label="What"
            value={draft.kind}
            options={[
              ['kyma', 'Kyma'],
              ['cluster', 'Cluster'],
            ]}
            onValue={(kind) => change({ kind: kind === 'cluster' ? 'cluster' : 'kyma' })}
          />
          {text('version', 'To version', 'If empty: what new runtimes get.')}
        </div>
        <fieldset>
          <legend>Which runtimes</legend>
          <div class="fields">
            <Choice
              label="Plan"
              value={draft.plan}
              options={[['', 'Any'], ...plans.map((each) => [each, each] as const)]}
              onValue={(plan) => change({ plan })}
            />
            {text('region', 'Region', 'A regular expression: europe|eu-')}
            {text('account', 'Global account', 'A regular expression.')}
            {text('exclude', 'But not of account', 'A regular expression.')}
          </div>
        </fieldset>
        <fieldset>
          <legend>How carefully</legend>
          <div class="fields">
            {text('workers', 'At the same time', 'At most so many.')}
            {text('waves', 'Waves', 'Sizes, such as 1, 10, 25%. The rest is the last wave.')}
            {text('soak', 'Pause between waves', 'Such as 10m.')}
            {text(
              'budget',
              'Error budget',
              'More failures than this pause it: 5, or 10%. With waves, if empty: 0.',
            )}
          </div>
          {check('inWindow', 'Only in the maintenance windows of the runtimes')}
          {check('dryRun', 'Dry run: go through all of it and change nothing')}
        </fieldset>
        {error && <Problem error={error} />}
        <div class="row">
          <button type="button" onClick={() => void ask(true)}>
            Show matching runtimes
          </button>
          <button type="submit" class="primary">
            Begin
          </button>
        </div>
      </form>
      {preview && <Preview preview={preview} />}
    </Page>
  );
}

function Preview({ preview }: { readonly preview: OrchestrationPreview }) {
  const { data, totalCount, skipped = [] } = preview;
  if (totalCount === 0) return <Empty title="No runtime matches">Nothing would be upgraded.</Empty>;
  return (
    <section class="card" role="status">
      <h2>
        {counted(totalCount, 'runtime')} {totalCount === 1 ? 'matches' : 'match'}
      </h2>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Shoot</th>
            <th scope="col">Wave</th>
            <th scope="col">Plan</th>
            <th scope="col">Region</th>
            <th scope="col">Account</th>
          </tr>
        </thead>
        <tbody>
          {data.map((each) => (
            <tr key={each.instanceID}>
              <th scope="row">
                <a href={`/ui/runtimes/${encodeURIComponent(each.instanceID)}`}>
                  {each.shootName ?? each.instanceID}
                </a>
              </th>
              <td data-label="Wave">{each.wave ?? 1}</td>
              <td data-label="Plan">{each.servicePlanName}</td>
              <td data-label="Region">{each.region ?? '–'}</td>
              <td data-label="Account">{each.globalAccountID}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {skipped.length > 0 && (
        <details class="disclosure">
          <summary>{skipped.length.toLocaleString()} would be left out</summary>
          {skipped.map(({ instanceID, shootName, because }) => (
            <div key={instanceID}>
              {shootName ?? instanceID}: {because}
            </div>
          ))}
        </details>
      )}
    </section>
  );
}
