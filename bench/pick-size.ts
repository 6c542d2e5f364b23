/** `--small` is for working on a benchmark: everything runs, but with so little data that the numbers mean nothing. */
const SMALL = '--small';

export const isSmall = process.argv.includes(SMALL);

/** The full size, unless the run is a small one. */
export const pickSize = <Size>({ full, small }: { full: Size; small: Size }): Size => (isSmall ? small : full);

/** The arguments other than the size. */
export const readNames = (): string[] => process.argv.slice(2).filter((argument) => argument !== SMALL);
