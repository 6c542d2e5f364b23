const NOT_BLANK = '\\S';

/** Says what is wrong by quoting the schema's description. A regular expression tells nobody what to enter. */
export const sayPatternFlaw = (schema: object = {}): string => {
  const { pattern, description }: { pattern?: unknown; description?: unknown } = schema;
  if (pattern === NOT_BLANK) return 'must not be blank';
  return description ? `has the wrong format. Expected: ${description}` : 'has the wrong format';
};
