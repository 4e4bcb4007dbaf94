import { search, withSearch } from '../routing/route.ts';

type PagerProps = {
  readonly totalCount: number;
  readonly pageSize: number;
  /** With it the next page costs the same, however far back it is. */
  readonly nextCursor?: string | undefined;
};

export function Pager({ totalCount, pageSize, nextCursor }: PagerProps) {
  const page = Number(search.value.get('page') ?? 1);
  const pages = Math.max(1, Math.ceil(totalCount / pageSize));
  if (pages === 1) return null;
  return (
    <nav class="pager" aria-label="Pages of this list">
      {page > 1 ? (
        <>
          <a href={withSearch({ page: undefined, cursor: undefined })}>First</a>
          <a href={withSearch({ page: page > 2 ? `${page - 1}` : undefined, cursor: undefined })}>
            Previous
          </a>
        </>
      ) : null}
      <span>
        Page {page.toLocaleString()} of {pages.toLocaleString()}
      </span>
      {page < pages && <a href={withSearch({ page: `${page + 1}`, cursor: nextCursor })}>Next</a>}
    </nav>
  );
}
