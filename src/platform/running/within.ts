/** A timer later than this was delayed by our own process, and so was what it waits for. */
const STALLED_MS = 250;

export type WithinOptions<Late> = {
  /** What to resolve to when it takes too long; throws to reject. Null unless given. */
  onLate?: () => Late;
  /** Wait as much longer as our own process stood still: the result may be here, and nobody could look. */
  excuseStalls?: boolean;
};

/** The result of the work, waited for no longer than this. What comes later counts for nothing. */
export const within = <Result, Late = null>(
  ms: number,
  work: Promise<Result>,
  { onLate = () => null as Late, excuseStalls = false }: WithinOptions<Late> = {},
): Promise<Result | Late> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (waitMs: number): void => {
      const due = performance.now() + waitMs;
      timer = setTimeout(() => {
        const lateMs = performance.now() - due;
        if (excuseStalls && lateMs > STALLED_MS) return wait(lateMs);
        try {
          resolve(onLate());
        } catch (error) {
          reject(error);
        }
      }, waitMs);
    };
    wait(ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** The same, and null if it fails. */
export const withinOrNull = <Result>(ms: number, work: Promise<Result>): Promise<Result | null> =>
  within<Result | null>(
    ms,
    work.catch(() => null),
  );
