const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Prints a size, such as `5.6 MB`. */
export const sayBytes = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const unitDisplay = power === 0 ? 'long' : 'short';
  const format = { style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat('en', format).format(bytes / 1_000 ** power);
};
