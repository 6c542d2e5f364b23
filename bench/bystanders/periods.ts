/** What was measured between two calls. What started in a period counts there, however late it ends. */
export type Period = {
  /** How long each `/healthz` took, in milliseconds. */
  polls: number[];
  calls: number[];
  syncs: number[];
  failed: number;
  pending: Set<Promise<void>>;
};

const openPeriod = (): Period => ({ polls: [], calls: [], syncs: [], failed: 0, pending: new Set() });

const LONGEST_MS = 60_000;

export const createPeriods = () => {
  let current = openPeriod();
  const up = new Set<string>();

  return {
    /**
     * Something that starts now. A failure counts only if its kind has succeeded before: until then, the service isn't
     * up yet.
     */
    begin(kind: 'poll' | 'call' | 'sync', work: (period: Period) => Promise<void>): void {
      const period = current;
      const one = work(period)
        .then(() => {
          up.add(kind);
        })
        .catch(() => {
          if (up.has(kind)) period.failed++;
        })
        .finally(() => period.pending.delete(one));
      period.pending.add(one);
    },
    countPending: (): number => current.pending.size,
    /** Ends the period and starts another. Waits for whatever is still in progress. */
    async end(): Promise<Period> {
      const ended = current;
      current = openPeriod();
      const patience = AbortSignal.timeout(LONGEST_MS);
      const tooLong = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
      await Promise.race([Promise.all(ended.pending), tooLong]);
      // As far as is known by now: at least this long.
      if (ended.pending.size > 0) ended.polls.push(LONGEST_MS);
      ended.failed += ended.pending.size;
      return ended;
    },
  };
};
