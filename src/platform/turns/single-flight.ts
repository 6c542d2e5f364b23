/** Lets simultaneous callers with the same key share one result, so a thousand of them cost as much as one. */
export const createSingleFlight = <Result>() => {
  const flights = new Map<string, { callers: number; result: Promise<Result> }>();
  return {
    /** How many callers share the run in progress. */
    countCallers: (key: string): number => flights.get(key)?.callers ?? 0,
    run(key: string, begin: () => Promise<Result>): Promise<Result> {
      const known = flights.get(key);
      if (known) {
        known.callers++;
        return known.result;
      }
      const result = begin().finally(() => flights.delete(key));
      flights.set(key, { callers: 1, result });
      return result;
    },
  };
};

/**
 * Runs `work` for all callers together. A call during a run waits for the next run, which sees the caller's changes.
 */
export const createSharedRuns = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    next = null;
    const begun = work().finally(() => {
      if (running === begun) running = null;
    });
    running = begun;
    return begun;
  };
  return () => {
    if (!running) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
};
