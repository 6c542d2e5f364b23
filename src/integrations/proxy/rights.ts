import { Refusal } from '../../platform/index.ts';

/** How long a response may outlast the rights of its caller, or its connection. */
const WATCHED_EVERY_MS = 10_000;
/** Pieces of a body that come soon after one another are checked together. */
const FRESH_MS = 1_000;

/** What a request needs for as long as it's passed on. `check` refuses if it's gone. */
export const createRights = (check: () => Promise<void>) => {
  let checkedAt = performance.now();
  return {
    /** Before more of the request is passed on. */
    async require(): Promise<void> {
      if (performance.now() - checkedAt < FRESH_MS) return;
      await check();
      checkedAt = performance.now();
    },
    /** An outage of the database is no loss. Returns how to stop watching. */
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
