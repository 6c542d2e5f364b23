/** Compiled by the first who needs it. */
export const compileLater = <Compiled>(compile: () => Compiled): (() => Compiled) => {
  let compiled: { it: Compiled } | undefined;
  return () => {
    compiled ??= { it: compile() };
    return compiled.it;
  };
};
