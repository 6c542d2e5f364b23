const SCOPE = /^[\x21-\x7e]{1,300}$/;
const MOST_SCOPES = 100;
/** All of them are part of one URL. */
const MOST_CHARACTERS = 4_000;

/** As people write them: separated by spaces, line breaks or commas. */
export const parseScopes = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter((scope) => scope !== '')),
];

/** What is wrong with scopes that someone entered, for a sentence that starts with their name. Null if nothing is. */
export const findScopesFlaw = (scopes: readonly string[]): string | null => {
  if (!scopes.every((scope) => SCOPE.test(scope))) return 'must be plain ASCII, up to 300 characters each';
  if (scopes.length > MOST_SCOPES) return `must be ${MOST_SCOPES} at most`;
  return scopes.join(' ').length > MOST_CHARACTERS ? `must have ${MOST_CHARACTERS} characters at most` : null;
};

/**
 * Of what a provider says it granted, as much as could have been requested. If that's less, then what was requested comes
 * first, so that none of it looks as if it were missing.
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
