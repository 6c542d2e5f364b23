const FIRST_WIDTH = 1;
const MOST_WIDTH = 16;
/** After this many failures in a row, there is a break before each request. */
const PATIENT_FAILURES = 20;
const FIRST_BREAK_MS = 1_000;
const MOST_BREAK_MS = 60_000;

/**
 * How fast an endpoint gets requests. After a success, it may get a few more at once, and after a failure half as many.
 * While all requests fail, they are sent one at a time, with longer and longer breaks, and new events wait in the log.
 * An endpoint that was already failing starts as if one request had failed.
 */
export const createPace = (isFailing: boolean) => {
  let width = FIRST_WIDTH;
  let failures = isFailing ? 1 : 0;
  return {
    get width(): number {
      return width;
    },
    /** Whether the last response was a success. */
    get isSteady(): boolean {
      return failures === 0;
    },
    get breakMs(): number {
      if (failures < PATIENT_FAILURES) return 0;
      return Math.min(MOST_BREAK_MS, FIRST_BREAK_MS * 2 ** Math.min(10, failures - PATIENT_FAILURES));
    },
    onAccepted(): void {
      failures = 0;
      width = Math.min(MOST_WIDTH, width + 1);
    },
    onFailed(): void {
      failures++;
      width = Math.max(1, Math.floor(width / 2));
    },
  };
};

export type Pace = ReturnType<typeof createPace>;
