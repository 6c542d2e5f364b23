const SHARE_MS = 10;

/**
 * Lets everybody else go on between the statements of a long piece of work. SQLite answers at once, so awaiting it is no
 * turn of the event loop: a loop of reads would keep timers, sockets and all other requests waiting until it ends.
 *
 * Once statements have held the event loop for a few milliseconds, whoever wants the next one waits in a queue. It moves
 * on after the event loop has turned, first come, first served, for a few milliseconds at a time. So a loop of any length
 * takes its place behind every request that came meanwhile, and no turn gets longer the more of them are waiting.
 */
export const createFairTurns = () => {
  const waiting: (() => void)[] = [];
  let heldSince: number | null = null;
  let scheduled = false;
  let serving = false;

  const isHeldFor = (ms: number): boolean => heldSince !== null && performance.now() - heldSince >= ms;

  const noteStart = (): void => {
    if (heldSince !== null) return;
    heldSince = performance.now();
    // While somebody waits, the next turn begins with them.
    setImmediate(() => {
      if (waiting.length === 0) heldSince = null;
    });
  };

  /** Lets one go on. The next one follows in the same turn if that one has stopped early: no microtask of its is left. */
  const serveNext = (): void => {
    const next = isHeldFor(SHARE_MS) ? undefined : waiting.shift();
    if (next) {
      next();
      queueMicrotask(() => process.nextTick(serveNext));
    } else {
      serving = false;
      if (waiting.length > 0) schedule();
    }
  };

  const beginTurn = (): void => {
    scheduled = false;
    serving = true;
    heldSince = null;
    noteStart();
    serveNext();
  };

  const schedule = (): void => {
    if (!scheduled) setImmediate(beginTurn);
    scheduled = true;
  };

  const wait = (heldMs: number): Promise<void> | null => {
    if (!isHeldFor(heldMs)) {
      noteStart();
      return null;
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (!serving) schedule();
    });
  };

  return {
    /** To be awaited before a statement; null where it may go on at once. */
    beforeStatement: (): Promise<void> | null => wait(SHARE_MS),
    /** Others cannot write until a transaction ends, so it begins where it need not stop after its first statement. */
    beforeTransaction: (): Promise<void> | null => wait(SHARE_MS / 4),
  };
};

export type FairTurns = ReturnType<typeof createFairTurns>;
