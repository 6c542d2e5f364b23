import { refuse } from '../errors.ts';

export const containmentUnknown = () => refuse(404, 'containment_unknown', 'There is no containment with this ID.');

export const containmentOfOperator = () =>
  refuse(403, 'containment_of_operator', 'The operator began this containment, and only the operator can lift it.');

export const tooManyContainmentFiles = () =>
  refuse(
    429,
    'too_many_containment_files',
    'Other downloads are still running. Wait for one to finish, then try again.',
    { headers: { 'retry-after': '10' } },
  );

export const containmentCursorInvalid = () =>
  refuse(400, 'cursor_invalid', 'Invalid cursor. Use `nextCursor` from the previous page.');

export const filterMissing = () =>
  refuse(
    400,
    'filter_missing',
    'Say what to stop: a provider, a team, a token, or a time before which it was connected.',
    { errors: [{ path: 'body', message: 'needs `provider`, `team`, `token`, or `connectedBefore`' }] },
  );

export const containedTeamUnknown = () =>
  refuse(404, 'containment_team_unknown', 'There is no team with this key or ID.');

export const containedTokenUnknown = () =>
  refuse(404, 'containment_token_unknown', 'There is no access token with this ID. It may have been revoked.');

export const ownToken = () =>
  refuse(409, 'containment_own_token', "This is the token that you're using. Use another one, or a browser.");

export const containmentsFull = (most: number) =>
  refuse(
    409,
    'containments_full',
    `${most} containments are in force, or were within the last hour. Lift those that are no longer needed.`,
  );
