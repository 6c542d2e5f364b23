/** Holds the event loop, as a long computation would. */
export const standStill = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};
