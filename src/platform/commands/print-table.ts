export const printTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  // A name can contain control characters that a terminal would execute.
  const all = [heads, ...rows].map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, '\ufffd')));
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
