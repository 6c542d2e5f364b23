/** Runs the work once for each key. Later callers with the same key share the result. */
export const createOnce = <Result>() => {
  const begun = new Map<string, Promise<Result>>();
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const result = begun.get(key) ?? work();
    begun.set(key, result);
    return result;
  };
};
