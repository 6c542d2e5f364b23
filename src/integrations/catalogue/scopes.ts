const SCOPE = /^[\x21-\x7e]{1,300}$/;
const MOST_SCOPES = 100;
/** The limit for all scopes together, because they are part of one URL. */
const MOST_CHARACTERS = 4_000;

/** Splits scopes as people write them: with spaces, line breaks or commas. */
export const parseScopes = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter((scope) => scope !== '')),
];

/**
 * Describes what is wrong with entered scopes, as the end of a sentence that starts with the name of the field. Null if
 * nothing is wrong.
 */
export const findScopesFlaw = (scopes: readonly string[]): string | null => {
  if (!scopes.every((scope) => SCOPE.test(scope))) return 'must be plain ASCII, up to 300 characters each';
  if (scopes.length > MOST_SCOPES) return `must be ${MOST_SCOPES} at most`;
  return scopes.join(' ').length > MOST_CHARACTERS ? `must have ${MOST_CHARACTERS} characters at most` : null;
};

/**
 * Shortens a provider's list of granted scopes if it exceeds the limits for requested scopes. The requested scopes are
 * kept first, so that none of them looks missing.
 */
export const limitScopes = (granted: readonly string[], asked: readonly string[]): string[] => {
  if (findScopesFlaw(granted) === null) return [...granted];
  const wanted = new Set(asked);
  const { asked: first = [], other = [] } = Object.groupBy(new Set(granted), (scope) =>
    wanted.has(scope) ? 'asked' : 'other',
  );
  let end = -1;
  return [...first, ...other].slice(0, MOST_SCOPES).filter((scope) => {
    end += 1 + scope.length;
    return end <= MOST_CHARACTERS;
  });
};
