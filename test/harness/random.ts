import { hash } from 'node:crypto';

/** Random choices that the seed of the run decides, so that `SEED` repeats them. */
export const createRandom = (purpose: string) => {
  let drawn = 0;
  const draw = (): number =>
    hash('sha256', `${process.env['SEED']} ${purpose} ${drawn++}`, 'buffer').readUIntBE(0, 6) / 2 ** 48;
  return {
    /** From `least` to below `limit`. */
    integer: (least: number, limit: number): number => least + Math.floor(draw() * (limit - least)),
    text: (length: number): string => Array.from({ length }, () => Math.floor(draw() * 36).toString(36)).join(''),
    shuffle: <Value>(values: readonly Value[]): Value[] =>
      values
        .map((value) => ({ value, at: draw() }))
        .sort((left, right) => left.at - right.at)
        .map(({ value }) => value),
  };
};
