/** Remembers for `restMs` that the database was unavailable. Doesn't use the wall clock, which may be set back. */
export const createOutage = (restMs: number) => {
  let until = Number.NEGATIVE_INFINITY;
  return {
    isOn: (): boolean => performance.now() < until,
    begin(): void {
      until = performance.now() + restMs;
    },
    end(): void {
      until = Number.NEGATIVE_INFINITY;
    },
  };
};
