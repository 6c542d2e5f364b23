export type Role = 'admin' | 'member';

export type OperatorDoor = 'cron' | 'debug' | 'metrics';

/**
 * Who may use a route. Every route says so, and one that does not is refused when the server is put together: closed
 * unless opened.
 */
export type Access =
  /** Nobody's credential is looked at. */
  | 'anyone'
  /** Anyone, but a caller who is known is made known to the handler. */
  | 'anyone_or_caller'
  /** Nobody's credential is looked at: the handler verifies the request itself, and counts what does not verify. */
  | 'signed'
  | Role
  /** The operator's own secret for this door. Where it is unset, the route hides or says that it is not set up. */
  | { door: OperatorDoor; whenUnset: 'hide' | 'unavailable' };

/** What the 401 of a route says is wanted. */
export const describeWanted = (access: Access): string => {
  if (typeof access === 'object') return `the operator's ${access.door} secret as a bearer token`;
  return 'an access token ("Authorization: Bearer pb_…") or a signed-in session';
};
