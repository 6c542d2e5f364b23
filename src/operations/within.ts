/** The answer if it comes in time, else null. What comes late or fails is not waited for. */
export const within = async <T>(timeoutMs: number, answer: Promise<T>): Promise<T | null> => {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, timeoutMs, null);
  try {
    return await Promise.race([answer.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
};
