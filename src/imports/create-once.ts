/** Each is only done once, however many ask for it. */
export const createOnce = <Result>() => {
  const begun = new Map<string, Promise<Result>>();
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const result = begun.get(key) ?? work();
    begun.set(key, result);
    return result;
  };
};
