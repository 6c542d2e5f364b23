/** Runs the work for each key once. Later callers with the same key share its result. */
export const createOnce = <Result>() => {
  const begun = new Map<string, Promise<Result>>();
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const result = begun.get(key) ?? work();
    begun.set(key, result);
    return result;
  };
};
