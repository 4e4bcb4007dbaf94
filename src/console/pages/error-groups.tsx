import type { ErrorGroup, Page as PageOf } from '../api-types.ts';
import { useAnswer } from '../api/use-loaded.ts';
import { Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';

/** Errors of the same kind are one line, with the runtimes that they concern. */
export function ErrorGroups({ since }: { readonly since: string }) {
  const { data, error, reload } = useAnswer<PageOf<ErrorGroup>>('/errors', { since });
  return (
    <section class="card">
      <h2>Errors, grouped</h2>
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && data.data.length === 0 && <Empty title="No errors in this time" />}
      {data && data.data.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Error</th>
              <th scope="col">Where</th>
              <th scope="col">Class</th>
              <th scope="col" class="number">
                Count
              </th>
              <th scope="col" class="number">
                Still open
              </th>
              <th scope="col">Last</th>
              <th scope="col">Runtimes</th>
            </tr>
          </thead>
          <tbody>
            {data.data.map((group) => (
              <GroupRow key={group.fingerprint} group={group} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function GroupRow({ group }: { readonly group: ErrorGroup }) {
  const more = group.runtimeCount - group.runtimes.length;
  return (
    <tr>
      <th scope="row">
        {group.message}
        {group.action && <div class="why">{group.action}</div>}
      </th>
      <td data-label="Where">
        {group.step ?? group.type}
        {group.system && <div class="why">{group.system}</div>}
      </td>
      <td data-label="Class">{group.class}</td>
      <td class="number" data-label="Count">
        {group.count.toLocaleString()}
      </td>
      <td class="number" data-label="Still open">
        {group.open.toLocaleString()}
      </td>
      <td data-label="Last">
        <Moment at={group.lastAt} />
      </td>
      <td data-label="Runtimes">
        <details class="disclosure">
          <summary>{group.runtimeCount.toLocaleString()}</summary>
          {group.runtimes.map((id) => (
            <div key={id}>
              <a class="id" href={`/ui/runtimes/${encodeURIComponent(id)}`}>
                {id}
              </a>
            </div>
          ))}
          {more > 0 && <div class="why">and {more.toLocaleString()} more</div>}
        </details>
      </td>
    </tr>
  );
}
