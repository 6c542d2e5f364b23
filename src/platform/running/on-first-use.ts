/** Made by the first who needs it and shared by all others. If that fails, the next one tries again. */
export const onFirstUse = <Value>(make: () => Promise<Value>) => {
  let making: Promise<Value> | undefined;
  const get = (): Promise<Value> => {
    making ??= make().catch((error) => {
      making = undefined;
      throw error;
    });
    return making;
  };
  /** What has been made so far, if anything: for whoever closes it. */
  return Object.assign(get, { begun: () => making });
};
