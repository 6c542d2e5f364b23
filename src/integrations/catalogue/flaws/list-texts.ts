/** Lists every text in a value, at any depth, with its path. */
export const listTexts = (value: unknown, path = ''): [string, string][] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, `${path}/${key}`));
};
