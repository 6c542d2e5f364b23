/** `--small` is for working on a benchmark: everything is done, with so little that the numbers mean nothing. */
const SMALL = '--small';

export const isSmall = process.argv.includes(SMALL);

/** The full size, unless the run is a small one. */
export const pickSize = <Size>({ full, small }: { full: Size; small: Size }): Size => (isSmall ? small : full);

/** What was asked for beside the size. */
export const readNames = (): string[] => process.argv.slice(2).filter((argument) => argument !== SMALL);
