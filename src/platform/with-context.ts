type Bound<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends (context: never, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Fills in the context, the first argument of every use case, so that callers don't need to know it. */
export const withContext = <Context, UseCases extends Record<string, (context: Context, ...rest: never[]) => unknown>>(
  context: Context,
  useCases: UseCases,
): Bound<UseCases> =>
  Object.fromEntries(
    Object.entries(useCases).map(([name, useCase]) => [name, (...rest: never[]) => useCase(context, ...rest)]),
  ) as Bound<UseCases>;
