const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;
const STEP = 1024;

/** As people read it: `1.5 GiB`. */
export const printBytes = (bytes: number): string => {
  let [size, unit]: [number, string] = [bytes, 'bytes'];
  for (const larger of UNITS) {
    if (size < STEP) break;
    [size, unit] = [size / STEP, larger];
  }
  return `${Number(size.toFixed(1))} ${unit}`;
};
