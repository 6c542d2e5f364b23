export type Role = 'admin' | 'member';

export type OperatorDoor = 'cron' | 'debug' | 'metrics' | 'operator';

/** Who may use a route. The server refuses to start if a route doesn't say so, so that no route is open by accident. */
export type Access =
  /** No credential is checked. */
  | 'anyone'
  /** Anyone may call. If there is a credential, the handler gets its caller. */
  | 'anyone_or_caller'
  /** No credential is checked. The handler verifies the request itself, and counts requests that it can't verify. */
  | 'signed'
  | Role
  /**
   * Only for the operator. A door is a group of routes with a secret of its own, which a request has to bring. If the
   * secret is unset, the route is hidden (404) or disabled (503).
   */
  | { door: OperatorDoor; whenUnset: 'hide' | 'unavailable' };

/** Says in a 401 which credential the route requires. */
export const describeWanted = (access: Access): string => {
  if (typeof access === 'object')
    return access.door === 'operator'
      ? 'the operator token as a bearer token'
      : `the operator's ${access.door} secret as a bearer token`;
  return 'an access token ("Authorization: Bearer pb_…") or a signed-in session';
};
