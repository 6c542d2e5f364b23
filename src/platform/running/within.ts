/** If a timer is later than this, our own process was delayed, and so was whatever it's waiting for. */
const STALLED_MS = 250;

type WithinOptions<Late> = {
  /** Returns what to resolve to when it takes too long, or throws. Default: null. */
  onLate?: () => Late;
  /** Wait longer by the time that our own process was blocked: the result may have arrived already. */
  excuseStalls?: boolean;
};

/** Waits for the work, but no longer than this. A later result is ignored. */
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
