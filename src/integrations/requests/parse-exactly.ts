const MAY_BE_TOO_LONG = /\d{16}/;

/**
 * Parses JSON from a provider. A whole number that JavaScript would round becomes text instead: it's probably an ID,
 * and the rounded ID may belong to someone else.
 */
export const parseExactly = (text: string): unknown => {
  if (!MAY_BE_TOO_LONG.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value: unknown, ...[written]: { source?: string }[]) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? (written?.source ?? value) : value,
  );
};
