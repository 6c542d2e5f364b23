/*
 * A containment stops what may have leaked: the connections and access tokens that match its filters and are from before
 * its start. It's in force from its commit until it's lifted.
 *
 *   listing ──all its connections are in the ledger──▶ revoking ──nothing is left to do──▶ done
 *      │                                                  │
 *      └──────────────lifted──────────────▶ waking ◀──────┘   (connections get their schedule back) ──▶ done
 *
 * Guarantees:
 *
 * - Whether a connection is stopped is decided by the row of the containment alone (`consent-store.ts`), each time the
 *   connection is read. So it holds at once, however long the ledger takes.
 * - A grant whose tokens were moved to a revocation is never used again, whatever a refresh under way brings back.
 * - The ledger (`contained_connections`) changes in the transaction of what it tells.
 */

/** What became of a grant. `pending`: its revocation is waiting, or being tried. */
export const CONTAINED_STATES = [
  'revoked',
  'already_gone',
  'shared',
  'pending',
  'failed',
  'unsupported',
  'unknown',
] as const;
export type ContainedState = (typeof CONTAINED_STATES)[number];

/** The work that is left for a containment. */
export type Phase = 'listing' | 'revoking' | 'waking' | 'done';

export type Containment = {
  id: string;
  /** The team whose admin began it. Null for the operator. */
  teamId: string | null;
  reason: string;
  provider: string | null;
  /** The team that it's about. Null for all. A team's own is about that team. */
  ofTeamId: string | null;
  connectedBefore: number | null;
  tokenId: string | null;
  tokenName: string | null;
  /** The access token that it was begun with, which goes on working. */
  keptTokenId: string | null;
  stopsConnections: 0 | 1;
  revokes: 0 | 1;
  startedAt: number;
  phase: Phase;
  /** The ID of the last connection in the ledger, while there may be more. */
  listedUpTo: string | null;
  finishedAt: number | null;
  liftedAt: number | null;
};

/** `finished`: every grant that can be revoked is revoked. It stays in force until it's lifted. */
export const stateOf = ({ liftedAt, finishedAt }: Pick<Containment, 'liftedAt' | 'finishedAt'>) => {
  if (liftedAt !== null) return 'lifted';
  return finishedAt === null ? 'active' : 'finished';
};

/** A connection in the ledger of a containment. */
export type ContainedConnection = {
  containmentId: string;
  connectionId: string;
  teamId: string;
  provider: string;
  name: string;
  /** Which consent it is: a connection keeps its ID when somebody connects it again. */
  connectedAt: number;
  accountId: string | null;
  accountLabel: string | null;
  /** Null if its grant isn't to be revoked, or if that hasn't begun. */
  state: ContainedState | null;
  changedAt: number;
  revocationId: string | null;
  /** When its revocation begins. Null if there is nothing to begin. */
  dueAt: number | null;
};

/** The reason of a connection whose grant was given up because of a containment. */
export const CONTAINED = 'contained';
