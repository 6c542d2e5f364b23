import { Refusal } from '../../platform/index.ts';

/** How long a response may continue after its caller has lost access, or after its connection was removed. */
const WATCHED_EVERY_MS = 10_000;
/** How long a check stays valid, so that pieces of a body that arrive in quick succession need only one. */
const FRESH_MS = 1_000;

/** Checks repeatedly whether a request may still be passed on. `check` throws if it may not. */
export const createRights = (check: () => Promise<void>) => {
  let checkedAt = performance.now();
  return {
    /** Throws if the caller has lost access. Call it before each further part of the request is passed on. */
    async require(): Promise<void> {
      if (performance.now() - checkedAt < FRESH_MS) return;
      await check();
      checkedAt = performance.now();
    },
    /**
     * Calls `onLost` once the caller has lost access. Ignores an outage of the database. Returns a function that stops
     * the watch.
     */
    watch(onLost: () => void): () => void {
      const look = (): void =>
        void check().catch((error) => {
          if (error instanceof Refusal) onLost();
        });
      const timer = setInterval(look, WATCHED_EVERY_MS);
      return () => clearInterval(timer);
    },
  };
};
