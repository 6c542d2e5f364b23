import { Refusal } from '../../platform/index.ts';

/** How long a response may go on after its caller has lost their rights, or its connection is gone. */
const WATCHED_EVERY_MS = 10_000;
/** How long a check holds, so that pieces of a body that come in quick succession are checked together. */
const FRESH_MS = 1_000;

/** Makes sure that a request may still be passed on. `check` refuses if it may not. */
export const createRights = (check: () => Promise<void>) => {
  let checkedAt = performance.now();
  return {
    /** Call this before more of the request is passed on. */
    async require(): Promise<void> {
      if (performance.now() - checkedAt < FRESH_MS) return;
      await check();
      checkedAt = performance.now();
    },
    /**
     * Calls `onLost` once the rights are gone. An outage of the database doesn't count. Returns a function that stops
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
