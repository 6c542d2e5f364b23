/** Made when first needed, and then shared. If that fails, the next call tries again. */
export const onFirstUse = <Value>(make: () => Promise<Value>) => {
  let making: Promise<Value> | undefined;
  const get = (): Promise<Value> => {
    making ??= make().catch((error) => {
      making = undefined;
      throw error;
    });
    return making;
  };
  /** What has been made so far, if anything, so that it can be closed. */
  return Object.assign(get, { begun: () => making });
};
