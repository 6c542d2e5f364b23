/** Those who wait for the same thing share one wait, so a thousand of them cost as much as one. */
export const createSharedWaits = <Result>(most: number) => {
  const waits = new Map<string, { count: number; result: Promise<Result> }>();
  return {
    /** Whether as many wait for it as may. Then nobody else may join. */
    isFull: (key: string): boolean => (waits.get(key)?.count ?? 0) >= most,
    join(key: string, begin: () => Promise<Result>): Promise<Result> {
      const known = waits.get(key);
      if (known) {
        known.count++;
        return known.result;
      }
      const result = begin().finally(() => waits.delete(key));
      waits.set(key, { count: 1, result });
      return result;
    },
  };
};
