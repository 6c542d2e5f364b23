/** Makes a value when it's first needed, and shares it from then on. If making it fails, the next call tries again. */
export const onFirstUse = <Value>(make: () => Promise<Value>) => {
  let making: Promise<Value> | undefined;
  const get = (): Promise<Value> => {
    making ??= make().catch((error) => {
      making = undefined;
      throw error;
    });
    return making;
  };
  /** `begun` returns the promise of the value if it was ever requested, so that the value can be closed. */
  return Object.assign(get, { begun: () => making });
};
