import { useState } from 'preact/hooks';
import type { Catalog, FetchedInstance, JsonSchema } from '../api-types.ts';
import { ApiError, get, send } from '../api/request.ts';
import { useLoaded } from '../api/use-loaded.ts';
import type { PageProps } from '../page-props.ts';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { navigate } from '../routing/route.ts';
import { draftOf, readDraft } from '../schema-form/draft.ts';
import { problemsNamedIn, type Problems } from '../schema-form/problems.ts';
import { focusFirstProblem, SchemaForm } from '../schema-form/schema-form.tsx';

type Loaded = { readonly instance: FetchedInstance; readonly schema: JsonSchema | undefined };

/** What can be changed of a runtime, filled in with what it is now. */
export function UpdatePage({ parameters: { instanceId = '' } }: PageProps) {
  const path = `/oauth/v2/service_instances/${encodeURIComponent(instanceId)}`;
  const { data, error, reload } = useLoaded<Loaded>(path, async (signal) => {
    const instance = await get<FetchedInstance>(path, {}, signal);
    const region = encodeURIComponent(instance.parameters.platform_region);
    const catalog = await get<Catalog>(`/oauth/${region}/v2/catalog`, {}, signal);
    const plan = catalog.services
      .flatMap(({ plans }) => plans)
      .find(({ id }) => id === instance.plan_id);
    return { instance, schema: plan?.schemas.service_instance.update.parameters };
  });
  const back = `/ui/runtimes/${encodeURIComponent(instanceId)}`;
  return (
    <Page title="Update the runtime" above={<a href={back}>Back to the runtime</a>}>
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={6} />}
      {data?.schema && (
        <UpdateForm path={path} back={back} instance={data.instance} schema={data.schema} />
      )}
      {data && !data.schema && (
        <Empty title="This plan is not offered any more">
          Its runtimes cannot be changed here.
        </Empty>
      )}
    </Page>
  );
}

type UpdateFormProps = {
  readonly path: string;
  readonly back: string;
  readonly instance: FetchedInstance;
  readonly schema: JsonSchema;
};

function UpdateForm({ path, back, instance, schema }: UpdateFormProps) {
  const before = draftOf(schema, instance.parameters.parameters);
  const [draft, setDraft] = useState(before);
  const [problems, setProblems] = useState<Problems>({});
  const [refusal, setRefusal] = useState<Error>();
  const update = async () => {
    const { parameters, problems: found } = readDraft(schema, draft);
    const old = readDraft(schema, before).parameters;
    const changes = Object.entries(parameters).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
    );
    setProblems(found);
    setRefusal(undefined);
    if (Object.keys(found).length > 0) return focusFirstProblem();
    if (changes.length === 0)
      return setRefusal(new Error('Nothing has changed yet: change a field, then update.'));
    try {
      await send('PATCH', `${path}?accepts_incomplete=true`, {
        service_id: instance.service_id,
        plan_id: instance.plan_id,
        context: {},
        parameters: Object.fromEntries(changes),
      });
      navigate(back);
    } catch (error) {
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
        void update();
      }}
    >
      <SchemaForm schema={schema} draft={draft} problems={problems} onDraft={setDraft} />
      {refusal && <Problem error={refusal} />}
      <div class="row">
        <button type="submit" class="primary">
          Update
        </button>
        <a class="button" href={back}>
          Leave it as it is
        </a>
      </div>
    </form>
  );
}
