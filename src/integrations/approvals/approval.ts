import type { AllowedAccount } from '../../http/index.ts';

/*
 * A request that a restricted token may not send on its own. It waits until an admin decides, and is sent once at most.
 * Any number of processes work on it at once, so each arrow is one statement that changes the row only in the state
 * before.
 *
 *   waiting ──refused by an admin, or something has changed──▶ refused
 *      ├─ nobody has decided in time ──▶ expired
 *      └─ approved, lease taken ──▶ sending ──mark written, request sent──▶ answered ──▶ sent
 *                                      ├─ something has changed ──▶ refused
 *                                      ├─ surely not sent ──▶ failed
 *                                      ├─ no answer, or the process died after the mark ──▶ unclear
 *                                      └─ the process died before the mark ──▶ another one takes the lease
 *
 * The mark is `begun_at`. Guarantees:
 *
 * - The mark is written once, by whoever holds it from then on, before the first byte is sent. A request with the mark is
 *   never sent again: not after a crash, not after a 401, and not on another connection.
 * - The transaction that writes the mark checks everything again: the connection, its account and its host, the token,
 *   its user's rights, and the rights of the admin who approved.
 * - What has ended stays as it is, `unclear` included.
 */

export const APPROVAL_STATES = ['waiting', 'refused', 'expired', 'sending', 'sent', 'failed', 'unclear'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What the admin decided with: a session or an access token, whose end ends the approval. */
export type DecidedWith = { sessionId: string | null; tokenId: string | null };

export type Approval = {
  id: string;
  teamId: string;
  tokenId: string;
  tokenName: string;
  /** The token's user. */
  userId: string;
  /** Whether the operator made the token, so that its user needn't be an admin. */
  byOperator: boolean;
  provider: string;
  /** The name of the connection. */
  connection: string;
  /** The connection and its account when the request was made. */
  account: AllowedAccount;
  /** The name of the entry's host. Null for the API's own address. */
  host: string | null;
  /** The URL that the path is appended to. */
  origin: string;
  /** Sealed: the method, the path, and the query. */
  target: string;
  /** The length of the body. */
  bytes: number;
  state: ApprovalState;
  requestedAt: number;
  expiresAt: number;
  /** The ID of the user who decided. Null if nobody has, or if the operator has. */
  decidedBy: string | null;
  /** Null for the operator, and for a decision that isn't an approval. */
  decidedWith: DecidedWith | null;
  decidedAt: number | null;
  leaseUntil: number | null;
  begunAt: number | null;
  endedAt: number | null;
  /** The provider's status. */
  status: number | null;
  /** Why it wasn't sent, or why that isn't known, in a sentence. */
  problem: string | null;
};

const MINUTE_MS = 60_000;

/** How many requests may wait, for each token and each team. */
export const MOST_WAITING_APPROVALS = { ofToken: 20, ofTeam: 100 } as const;
/** How many requests a token may ask for in an hour: more than anybody looks at, and not enough to fill the disk. */
export const MOST_APPROVALS_PER_HOUR = 200;
export const MOST_BODY_BYTES = 256 * 1024;
/** How much of a provider's response is kept, and for how long. */
export const MOST_RESPONSE_BYTES = 1024 * 1024;
export const RESPONSE_KEPT_MS = 60 * MINUTE_MS;
/** How long approvals are kept. */
export const APPROVALS_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;

/** How long one process has for everything before the mark. A refresh takes up to 45 seconds. */
export const BEFORE_MARK_MS = MINUTE_MS;
/** How long the provider has, from the mark to the end of its response. */
export const MOST_SENDING_MS = 90_000;
/** How long after the mark the outcome counts as unknown. By then, the sending process has given up. */
export const AFTER_MARK_MS = 2 * MINUTE_MS;
/** How long after the decision a request may still be sent. An admin doesn't expect it any later. */
export const SENT_WITHIN_MS = 5 * MINUTE_MS;

/** The state as people see it. A request whose time is over is only marked as expired a little later. */
export const stateAt = ({ state, expiresAt }: Pick<Approval, 'state' | 'expiresAt'>, now: number): ApprovalState =>
  state === 'waiting' && expiresAt <= now ? 'expired' : state;
