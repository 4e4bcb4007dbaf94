/**
 * One question at a time: those that come while an answer is on its way are asked together afterwards. So a hundred
 * callers who poll are a few queries, and nobody gets an answer that was found before he asked.
 */
export function askedTogether<Found>(
  ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
): (key: string) => Promise<Found | undefined> {
  let next = new Map<string, PromiseWithResolvers<Found | undefined>>();
  let isAsking = false;

  const askAll = async () => {
    isAsking = true;
    while (next.size > 0) {
      const asked = next;
      next = new Map();
      try {
        const found = await ask([...asked.keys()]);
        for (const [key, { resolve }] of asked) resolve(found.get(key));
      } catch (error) {
        for (const { reject } of asked.values()) reject(error);
      }
    }
    isAsking = false;
  };

  return (key) => {
    const { promise } = next.getOrInsertComputed(key, () => Promise.withResolvers());
    if (!isAsking) void askAll();
    return promise;
  };
}
