const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;
const STEP = 1024;

/** Prints a size for people to read: `1.5 GiB`. */
export const printBytes = (bytes: number): string => {
  let [size, unit]: [number, string] = [bytes, 'bytes'];
  for (const larger of UNITS) {
    if (size < STEP) break;
    [size, unit] = [size / STEP, larger];
  }
  return `${Number(size.toFixed(1))} ${unit}`;
};
