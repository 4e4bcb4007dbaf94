import { useEffect, useState } from 'preact/hooks';
import type { Page as PageOf, Runtime } from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { useAnswer, useThrottled } from '../api/use-loaded.ts';
import { counted } from '../parts/counted.ts';
import { Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Sortable } from '../parts/sortable.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { navigate, search, withSearch } from '../routing/route.ts';
import { can } from '../session/rights.ts';

const pageSize = 50;
const states = [
  'succeeded',
  'failed',
  'error',
  'provisioning',
  'deprovisioning',
  'upgrading',
  'updating',
  'suspended',
  'all',
];
const attentions = [
  ['', 'All'],
  ['retrying', 'Retrying now'],
  ['stuck', 'Stuck'],
  ['residue', 'With residue'],
] as const;
const filters = ['search', 'state', 'plan', 'region', 'account', 'attention'] as const;
const plans = [
  'aws',
  'azure',
  'azure_lite',
  'gcp',
  'openstack',
  'trial',
  'free',
  'own_cluster',
  'preview',
];

export function RuntimesPage() {
  const asked = Object.fromEntries(
    filters.map((name) => [name, search.value.get(name) ?? undefined]),
  );
  const cursor = search.value.get('cursor') ?? undefined;
  const { data, error, isLoading, reload } = useAnswer<PageOf<Runtime>>('/runtimes', {
    ...asked,
    op_detail: 'last',
    sort: search.value.get('sort') ?? '-createdAt',
    page_size: pageSize,
    ...(cursor === undefined ? { page: search.value.get('page') ?? undefined } : { cursor }),
  });
  useStream('/runtimes/stream', useThrottled(reload, 1_500));
  const isFiltered = filters.some((name) => search.value.has(name));
  return (
    <Page
      title="Runtimes"
      actions={
        can('order runtimes') && (
          <a class="button primary" href="/ui/order">
            Order a runtime
          </a>
        )
      }
    >
      <Filters />
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={12} />}
      {data && data.data.length === 0 && (
        <Empty title={isFiltered ? 'No runtime matches these filters' : 'There is no runtime yet'}>
          {isFiltered ? (
            <a href="/ui/runtimes">Show all runtimes</a>
          ) : (
            'As soon as somebody orders one, it appears here by itself.'
          )}
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <div aria-busy={isLoading}>
          <RuntimeTable runtimes={data.data} />
          <div class="below-table">
            <span class="muted">{counted(data.totalCount, 'runtime')}</span>
            <Pager totalCount={data.totalCount} pageSize={pageSize} nextCursor={data.nextCursor} />
          </div>
        </div>
      )}
    </Page>
  );
}

const change = (name: string, value: string) =>
  navigate(withSearch({ [name]: value, page: undefined, cursor: undefined }), 'replace');

function Filters() {
  const given = search.value;
  const [text, setText] = useState(given.get('search') ?? '');
  // Not at each key: while somebody types, nobody waits for answers.
  useEffect(() => {
    if (text === (search.value.get('search') ?? '')) return;
    const timer = setTimeout(() => change('search', text), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const select = (name: string, label: string, options: readonly string[]) => (
    <select
      aria-label={label}
      value={given.get(name) ?? ''}
      onChange={({ currentTarget }) => change(name, currentTarget.value)}
    >
      <option value="">{label}: any</option>
      {options.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
  const text_ = (name: string, label: string) => (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={given.get(name) ?? ''}
      onChange={({ currentTarget }) => change(name, currentTarget.value.trim())}
    />
  );
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        class="search"
        aria-label="Search"
        placeholder="Name, id, shoot, account …"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {select('state', 'State', states)}
      {select('plan', 'Plan', plans)}
      {text_('region', 'Region')}
      {text_('account', 'Global account')}
      <div class="segments" role="group" aria-label="Attention">
        {attentions.map(([value, label]) => (
          <a
            key={value}
            href={withSearch({ attention: value, page: undefined, cursor: undefined })}
            aria-current={(given.get('attention') ?? '') === value ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </div>
    </form>
  );
}

const RuntimeTable = ({ runtimes }: { readonly runtimes: readonly Runtime[] }) => (
  <table class="list">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <Sortable by="state" initial="-createdAt" label="State" />
        <Sortable by="plan" initial="-createdAt" label="Plan" />
        <Sortable by="region" initial="-createdAt" label="Region" />
        <Sortable by="account" initial="-createdAt" label="Account" />
        <Sortable by="shoot" initial="-createdAt" label="Shoot" />
        <Sortable by="createdAt" initial="-createdAt" label="Created" />
        <Sortable by="modifiedAt" initial="-createdAt" label="Changed" />
      </tr>
    </thead>
    <tbody>
      {runtimes.map((each) => (
        <RuntimeRow key={each.instanceID} runtime={each} />
      ))}
    </tbody>
  </table>
);

function RuntimeRow({ runtime }: { readonly runtime: Runtime }) {
  const { status } = runtime;
  return (
    <tr>
      <th scope="row">
        <a href={`/ui/runtimes/${encodeURIComponent(runtime.instanceID)}`}>
          {runtime.name || runtime.instanceID}
        </a>
        <div class="id">{runtime.instanceID}</div>
      </th>
      <td data-label="State">
        <StateBadge state={status.state} />
        {status.explanation && <div class="why">{status.explanation.summary}</div>}
      </td>
      <td data-label="Plan">{runtime.servicePlanName}</td>
      <td data-label="Region">{runtime.region || '–'}</td>
      <td data-label="Account" class="short" title={runtime.globalAccountID}>
        {runtime.globalAccountID}
      </td>
      <td data-label="Shoot" class="short">
        {runtime.shootName || '–'}
      </td>
      <td data-label="Created">
        <Moment at={status.createdAt} />
      </td>
      <td data-label="Changed">
        <Moment at={status.modifiedAt} />
      </td>
    </tr>
  );
}
