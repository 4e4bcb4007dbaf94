import type { Query, Service } from './service.ts';

export type Page<Item> = {
  readonly data: readonly Item[];
  readonly count: number;
  readonly totalCount: number;
  /** Faster than a number deep in the list, where the service gives one. */
  readonly nextCursor?: string;
};

export const largestPage = 100;

/** Pages of a list as they come, up to so many items. */
export async function* pagesOf<Item>(
  service: Service,
  path: string,
  query: Query,
  limit: number,
): AsyncGenerator<Page<Item>> {
  let left = limit;
  let cursor: string | undefined;
  const pageSize = Math.min(limit, largestPage);
  for (let page = 1; left > 0; page += 1) {
    const answer = await service.get<Page<Item>>(path, {
      ...query,
      page_size: pageSize,
      ...(cursor === undefined ? { page } : { cursor }),
    });
    const data = answer.data.slice(0, left);
    yield { ...answer, data, count: data.length };
    left -= data.length;
    cursor = answer.nextCursor;
    const isLast = cursor === undefined && page * pageSize >= answer.totalCount;
    if (isLast || answer.data.length === 0) return;
  }
}

/** The whole of it, in one object. */
export async function allOf<Item>(
  service: Service,
  path: string,
  query: Query,
  limit = Infinity,
): Promise<Page<Item>> {
  const data: Item[] = [];
  let totalCount = 0;
  for await (const page of pagesOf<Item>(service, path, query, limit)) {
    data.push(...page.data);
    totalCount = page.totalCount;
  }
  return { data, count: data.length, totalCount };
}
