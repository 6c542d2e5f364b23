/** If a timer fires this much too late, our own process was blocked, and couldn't handle the result either. */
const STALLED_MS = 250;

type WithinOptions<Late> = {
  /** Called when the work takes too long. Returns what to resolve to, or throws. Default: null. */
  onLate?: () => Late;
  /** If our own process was blocked, waits that much longer, because the result may have arrived already. */
  excuseStalls?: boolean;
};

/** Waits for the work, but at most this long. A later result is ignored. */
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

/** Like `within`, but also null if the work fails. */
export const withinOrNull = <Result>(ms: number, work: Promise<Result>): Promise<Result | null> =>
  within<Result | null>(
    ms,
    work.catch(() => null),
  );
