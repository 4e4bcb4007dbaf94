import { search, withSearch } from '../routing/route.ts';

/** The head of a column that the list can be sorted by. The order stands in the address: `sort=-createdAt`. */
export function Sortable({
  by,
  initial,
  label,
}: {
  readonly by: string;
  /** What the list is sorted by if the address says nothing. */
  readonly initial: string;
  readonly label: string;
}) {
  const sort = search.value.get('sort') ?? initial;
  const isUp = sort === by;
  const isDown = sort === `-${by}`;
  return (
    <th scope="col" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <a
        class="sort"
        href={withSearch({ sort: isUp ? `-${by}` : by, page: undefined, cursor: undefined })}
      >
        {label}
        <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
      </a>
    </th>
  );
}
