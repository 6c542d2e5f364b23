import { AsyncLocalStorage } from 'node:async_hooks';

type Scope = { open: boolean };

/**
 * Detects whether the calling code is inside a transaction. Using the database itself from there can wait forever for
 * the connection that the transaction holds, so it throws immediately, on both engines.
 */
export const createTransactionScope = () => {
  const current = new AsyncLocalStorage<Scope>();
  return {
    refuseInside(): void {
      if (current.getStore()?.open)
        throw new Error('The database was used inside a transaction. Use the transaction instead.');
    },
    async enter<Result>(work: () => Promise<Result>): Promise<Result> {
      const scope: Scope = { open: true };
      try {
        return await current.run(scope, work);
      } finally {
        scope.open = false;
      }
    },
  };
};
