/** Compiles on first use, and keeps the result. */
export const compileLater = <Compiled>(compile: () => Compiled): (() => Compiled) => {
  let compiled: { it: Compiled } | undefined;
  return () => {
    compiled ??= { it: compile() };
    return compiled.it;
  };
};
