/** Made by the first who needs it and shared by all others. If that fails, the next one tries again. */
export const onFirstUse = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let making: Promise<Value> | undefined;
  return () => {
    making ??= make().catch((error) => {
      making = undefined;
      throw error;
    });
    return making;
  };
};
