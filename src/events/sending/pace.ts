const FIRST_WIDTH = 1;
const MOST_WIDTH = 16;
/** From this many failures in a row on, it takes breaks. */
const PATIENT_FAILURES = 20;
const FIRST_BREAK_MS = 1_000;
const MOST_BREAK_MS = 60_000;

/**
 * How fast an endpoint is sent to: with each success a little more at once, with each failure half as much, and while
 * nothing but failures comes back, one at a time with longer and longer breaks. What happens meanwhile waits in the log.
 * One that is known to fail begins as if it just had.
 */
export const createPace = (isFailing: boolean) => {
  let width = FIRST_WIDTH;
  let failures = isFailing ? 1 : 0;
  return {
    get width(): number {
      return width;
    },
    /** Whether the last response was a good one. */
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
