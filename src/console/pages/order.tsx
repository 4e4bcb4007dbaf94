import { useState } from 'preact/hooks';
import type { Catalog } from '../api-types.ts';
import { ApiError, send } from '../api/request.ts';
import { useAnswer } from '../api/use-loaded.ts';
import { Choice, TextField } from '../parts/field.tsx';
import { Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { navigate, search, withSearch } from '../routing/route.ts';
import { readDraft, type Draft } from '../schema-form/draft.ts';
import { problemsNamedIn, type Problems } from '../schema-form/problems.ts';
import { focusFirstProblem, SchemaForm } from '../schema-form/schema-form.tsx';
import { can, me } from '../session/rights.ts';

const platformRegions = ['cf-eu10', 'cf-eu20', 'cf-us10', 'cf-us20', 'cf-ap10', 'cf-ap21'];

/** As a platform's cockpit would: choose a plan, fill in what its schema asks for. */
export function OrderPage() {
  const region = search.value.get('platform') ?? 'cf-eu20';
  const { data, error, reload } = useAnswer<Catalog>(
    `/oauth/${encodeURIComponent(region)}/v2/catalog`,
  );
  return (
    <Page title="Order a runtime">
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && <OrderForm catalog={data} region={region} />}
    </Page>
  );
}

function OrderForm({ catalog, region }: { readonly catalog: Catalog; readonly region: string }) {
  const service = catalog.services[0];
  const plans = service?.plans ?? [];
  const plan = plans.find(({ name }) => name === search.value.get('plan')) ?? plans[0];
  const [draft, setDraft] = useState<Draft>({});
  const [context, setContext] = useState({
    globalaccount_id: 'ga-demo',
    subaccount_id: 'sa-demo',
    user_id: me.value?.subject ?? '',
  });
  const [problems, setProblems] = useState<Problems>({});
  const [refusal, setRefusal] = useState<Error>();
  const [isSending, setSending] = useState(false);
  if (!service || !plan) return <Problem error={new Error('The broker offers no plan here.')} />;
  const schema = plan.schemas.service_instance.create.parameters;

  const order = async () => {
    const { parameters, problems: found } = readDraft(schema, draft);
    const missing = Object.entries(context).filter(([, value]) => value.trim() === '');
    const all = {
      ...found,
      ...Object.fromEntries(missing.map(([name]) => [name, 'This is needed.'])),
    };
    setProblems(all);
    setRefusal(undefined);
    if (Object.keys(all).length > 0) return focusFirstProblem();
    setSending(true);
    const id = crypto.randomUUID();
    const path = `/oauth/${encodeURIComponent(region)}/v2/service_instances/${id}`;
    try {
      await send('PUT', `${path}?accepts_incomplete=true`, {
        service_id: service.id,
        plan_id: plan.id,
        context,
        parameters,
      });
      // To those who may not see runtimes the broker tells little of it: the address keeps what was ordered.
      const ordered = { service_id: service.id, plan_id: plan.id, name: draft['name'] ?? '' };
      const told = can('see runtimes') ? '' : `?${new URLSearchParams(ordered)}`;
      navigate(`/ui/runtimes/${id}${told}`);
    } catch (error) {
      setSending(false);
      setRefusal(error instanceof Error ? error : new Error(String(error)));
      if (error instanceof ApiError) setProblems(problemsNamedIn(error.message, schema));
      focusFirstProblem();
    }
  };
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void order();
      }}
    >
      <div class="fields">
        <Choice
          label="Plan"
          value={plan.name}
          options={plans.map(({ name, metadata }) => [name, metadata?.displayName ?? name])}
          onValue={(name) => navigate(withSearch({ plan: name }), 'replace')}
        />
        <Choice
          label="Platform region"
          value={region}
          options={platformRegions.map((each) => [each, each])}
          onValue={(name) => navigate(withSearch({ platform: name }), 'replace')}
          hint="Where the platform runs that orders it."
        />
      </div>
      <fieldset>
        <legend>For whom</legend>
        <div class="fields">
          {(
            [
              ['globalaccount_id', 'Global account'],
              ['subaccount_id', 'Subaccount'],
              ['user_id', 'User'],
            ] as const
          ).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              required
              value={context[name]}
              problem={problems[name]}
              onValue={(value) => setContext({ ...context, [name]: value })}
            />
          ))}
        </div>
      </fieldset>
      <SchemaForm schema={schema} draft={draft} problems={problems} onDraft={setDraft} />
      {refusal && <Problem error={refusal} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isSending}>
          Order
        </button>
      </div>
    </form>
  );
}
