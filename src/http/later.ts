import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is made when it is first needed, or all at once where somebody wants to measure the rest. */
export const createLater = () => {
  const waiting = new Set<() => unknown>();
  return {
    /** Answers how to get it. */
    put<Value>(make: () => Value): () => Value {
      let made: { value: Value } | undefined;
      const get = (): Value => {
        waiting.delete(get);
        made ??= { value: make() };
        return made.value;
      };
      waiting.add(get);
      return get;
    },
    /** Makes all that is left, and lets everybody else go first each time. */
    async makeAll(): Promise<void> {
      for (const get of waiting) {
        await nextTurn();
        get();
      }
    },
  };
};

export type Later = ReturnType<typeof createLater>;
