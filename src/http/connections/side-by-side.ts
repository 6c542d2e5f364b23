const MOST_TOGETHER = 64;

/**
 * Everything that arrives before `next` runs then, one after the other. That keeps the same code in the processor's
 * caches. Handled one by one from start to finish, the many steps of a request push each other's code out of them
 * (decision 022: a third to a half of the time). A request that comes alone waits for no other, and none waits for more
 * than a few dozen.
 */
export const createSideBySide = (next: (goOn: () => void) => void, mostTogether = MOST_TOGETHER) => {
  const waiting: (() => void)[] = [];

  const goOn = (): void => {
    const together = waiting.splice(0, mostTogether);
    if (waiting.length > 0) next(goOn);
    for (const go of together) go();
  };

  return (go: () => void): void => {
    if (waiting.push(go) === 1) next(goOn);
  };
};

/** How many requests and connections are ended in one turn of the event loop. */
const ENDED_TOGETHER = 16;

/** For what ends because its time is up, which may be thousands at the same moment. */
export const createEndings = () => createSideBySide(setImmediate, ENDED_TOGETHER);
