/** The longest that the next piece of a body may take, if the body has arrived at the least pace or faster. */
const PATIENCE_MS = 60_000;
/** 16 KiB a second. A caller who sends a byte a minute would hold a place at the provider for years. */
const LEAST_BYTES_PER_MS = 16;

/** Tracks how long a caller may still keep us waiting for a body that is passed on while it arrives. */
export const createUploadPace = () => {
  let leftMs = PATIENCE_MS;
  return {
    get leftMs(): number {
      return leftMs;
    },
    /** Call this after each piece. Bytes that arrive buy time, but never more than the patience for one piece. */
    count(waitedMs: number, bytes: number): void {
      leftMs = Math.min(PATIENCE_MS, leftMs - waitedMs + bytes / LEAST_BYTES_PER_MS);
    },
  };
};
