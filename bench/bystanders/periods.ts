/** What was measured in a period. A request belongs to the period in which it started, no matter when it ends. */
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
     * Starts a request or a disk write. A failure is only counted if another of the same kind has succeeded before,
     * because until then, the service isn't up.
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
    /** Ends the period and starts another. Waits until everything that started in the period is over. */
    async end(): Promise<Period> {
      const ended = current;
      current = openPeriod();
      const patience = AbortSignal.timeout(LONGEST_MS);
      const tooLong = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
      await Promise.race([Promise.all(ended.pending), tooLong]);
      // Requests that are still pending have taken at least this long.
      if (ended.pending.size > 0) ended.polls.push(LONGEST_MS);
      ended.failed += ended.pending.size;
      return ended;
    },
  };
};
