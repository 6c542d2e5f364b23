export type Role = 'admin' | 'member';

export type OperatorDoor = 'cron' | 'debug' | 'metrics' | 'operator';

/**
 * Who may use a route. Every route must say so. If one doesn't, the server refuses to start, so that nothing is open by
 * accident.
 */
export type Access =
  /** No credential is checked. */
  | 'anyone'
  /** Anyone. The handler gets the caller if there is one. */
  | 'anyone_or_caller'
  /** No credential is checked. The handler verifies the request itself, and counts what doesn't verify. */
  | 'signed'
  | Role
  /** The operator's own secret for this door. If it's unset, the route hides or says that it's disabled. */
  | { door: OperatorDoor; whenUnset: 'hide' | 'unavailable' };

/** What a route's 401 says it requires. */
export const describeWanted = (access: Access): string => {
  if (typeof access === 'object')
    return access.door === 'operator'
      ? 'the operator token as a bearer token'
      : `the operator's ${access.door} secret as a bearer token`;
  return 'an access token ("Authorization: Bearer pb_…") or a signed-in session';
};
