/** How long we wait for the next piece of a body that has arrived fast enough so far. */
const PATIENCE_MS = 60_000;
/** 16 KB a second. Without a minimum, a caller who sends a byte a minute could keep the request open for years. */
const LEAST_BYTES_PER_MS = 16;

/** Tracks how much longer we wait for a body that is passed on while it arrives. */
export const createUploadPace = () => {
  let leftMs = PATIENCE_MS;
  return {
    get leftMs(): number {
      return leftMs;
    },
    /** Call this after each piece. Bytes that arrive extend the remaining time, up to `PATIENCE_MS`. */
    count(waitedMs: number, bytes: number): void {
      leftMs = Math.min(PATIENCE_MS, leftMs - waitedMs + bytes / LEAST_BYTES_PER_MS);
    },
  };
};
