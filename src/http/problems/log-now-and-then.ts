const REST_MS = 10_000;

/** For problems that affect every request: logged at once, and then only once in a while. */
export const logNowAndThen = (tell: (error: Error) => void): ((error: Error) => void) => {
  let quietUntil = 0;
  return (error) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + REST_MS;
    tell(error);
  };
};
