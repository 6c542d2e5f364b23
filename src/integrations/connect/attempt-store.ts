import { deleteInPieces, type Queries } from '../../platform/index.ts';

/** A connect attempt. It begins when a callback or our form brings the state back, and ends with an outcome. */
export type ConnectAttempt = {
  stateDigest: string;
  teamId: string;
  userId: string;
  provider: string;
  phase: 'parked' | 'exchanging' | 'done';
  attemptDigest: string | null;
  /** The content of the callback, sealed, while the attempt is parked. */
  callback: string | null;
  /** The outcome as JSON, once the attempt is done. */
  outcome: string | null;
  createdAt: number;
  expiresAt: number;
};

/** How many rows one statement changes. Small, so that other statements don't wait long for it. */
const PIECE = 200;

const SELECT = `select state_digest as "stateDigest", team_id as "teamId", user_id as "userId", provider, phase,
  attempt_digest as "attemptDigest", callback, outcome, created_at as "createdAt", expires_at as "expiresAt"
  from connect_attempts`;

/** Stores an attempt, so that its state works only once. Returns 0 if the state was used before. */
export const insertAttempt = (queries: Queries, attempt: ConnectAttempt): Promise<number> => {
  const { stateDigest, teamId, userId, provider, phase, attemptDigest, callback, outcome } = attempt;
  return queries.run(
    `insert into connect_attempts (state_digest, team_id, user_id, provider, phase, attempt_digest, callback, outcome,
      created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      ...[stateDigest, teamId, userId, provider, phase, attemptDigest, callback, outcome],
      ...[attempt.createdAt, attempt.expiresAt],
    ],
  );
};

export const getAttempt = (queries: Queries, teamId: string, stateDigest: string) =>
  queries.get<ConnectAttempt>(`${SELECT} where team_id = $1 and state_digest = $2`, [teamId, stateDigest]);

/**
 * Finds an attempt by a secret that was given only to the browser that brought the callback. The user of that browser
 * may be in another team, so the query doesn't name a team.
 */
export const findParkedAttempt = (queries: Queries, provider: string, attemptDigest: string) =>
  queries.get<ConnectAttempt>(`${SELECT} where provider = $1 and attempt_digest = $2`, [provider, attemptDigest]);

/** Claims a parked attempt and deletes its code or key. Returns 0 if another request has claimed it first. */
export const claimAttempt = (queries: Queries, teamId: string, stateDigest: string): Promise<number> =>
  queries.run(
    `update connect_attempts set phase = 'exchanging', callback = null
      where team_id = $1 and state_digest = $2 and phase = 'parked'`,
    [teamId, stateDigest],
  );

export const endAttempt = (queries: Queries, teamId: string, stateDigest: string, outcome: string): Promise<number> =>
  queries.run(
    `update connect_attempts set phase = 'done', callback = null, outcome = $3 where team_id = $1 and state_digest = $2`,
    [teamId, stateDigest, outcome],
  );

/** Ends a user's parked attempts, except for the newest few. The rows stay, so that the states can't be used again. */
export const endOlderParked = (
  queries: Queries,
  { teamId, userId }: Pick<ConnectAttempt, 'teamId' | 'userId'>,
  newest: number,
  outcome: string,
): Promise<number> =>
  queries.run(
    `update connect_attempts set phase = 'done', callback = null, outcome = $3 where state_digest in (
      select state_digest from connect_attempts where team_id = $1 and user_id = $2 and phase = 'parked'
        order by created_at desc, state_digest limit ${PIECE} offset $4)`,
    [teamId, userId, outcome, newest],
  );

export const deleteAttemptsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'connect_attempts', key: 'state_digest', where: 'team_id = $1' }, [teamId], pace);

/** Returns 0 if the ticket was redeemed before. */
export const insertUsedTicket = (queries: Queries, digest: string, expiresAt: number): Promise<number> =>
  queries.run('insert into used_tickets (digest, expires_at) values ($1, $2) on conflict do nothing', [
    digest,
    expiresAt,
  ]);

const erasePieceOfOldCallbacks = (queries: Queries, now: number): Promise<number> =>
  queries.run(
    `update connect_attempts set callback = null where state_digest in (
      select state_digest from connect_attempts where callback is not null and expires_at < $1 limit ${PIECE})`,
    [now],
  );

/**
 * Erases unused codes as soon as they expire. Deletes attempts and tickets that expired before `before`, which nobody
 * can ask about anymore.
 */
export const deleteOldAttempts = async (queries: Queries, now: number, before: number): Promise<void> => {
  while ((await erasePieceOfOldCallbacks(queries, now)) === PIECE);
  const where = 'expires_at < $1';
  await deleteInPieces(queries, { from: 'connect_attempts', key: 'state_digest', where }, [before]);
  await deleteInPieces(queries, { from: 'used_tickets', key: 'digest', where }, [before]);
};
