import { deleteInPieces, type Queries } from '../../platform/index.ts';

/** A state that came back, from the callback to its outcome. */
export type Attempt = {
  stateDigest: string;
  teamId: string;
  userId: string;
  provider: string;
  phase: 'parked' | 'exchanging' | 'done';
  attemptDigest: string | null;
  /** What the callback brought, sealed, while it is parked. */
  callback: string | null;
  /** JSON, once it is done. */
  outcome: string | null;
  createdAt: number;
  expiresAt: number;
};

/** So many rows are changed by one statement, so that nobody waits for it. */
const PIECE = 200;

const SELECTED = `state_digest as "stateDigest", team_id as "teamId", user_id as "userId", provider, phase,
  attempt_digest as "attemptDigest", callback, outcome, created_at as "createdAt", expires_at as "expiresAt"`;

/** The one statement that makes a state work once. Answers 0 where it came back before. */
export const insertAttempt = (queries: Queries, attempt: Attempt): Promise<number> =>
  queries.run(
    `insert into connect_attempts (state_digest, team_id, user_id, provider, phase, attempt_digest, callback, outcome,
      created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      attempt.stateDigest,
      attempt.teamId,
      attempt.userId,
      attempt.provider,
      attempt.phase,
      attempt.attemptDigest,
      attempt.callback,
      attempt.outcome,
      attempt.createdAt,
      attempt.expiresAt,
    ],
  );

export const getAttempt = (queries: Queries, teamId: string, stateDigest: string): Promise<Attempt | undefined> =>
  queries.get<Attempt>(`select ${SELECTED} from connect_attempts where team_id = $1 and state_digest = $2`, [
    teamId,
    stateDigest,
  ]);

/** By the secret that only the arriving browser was given: whoever holds it may ask, of whichever team. */
export const findParkedAttempt = (
  queries: Queries,
  provider: string,
  attemptDigest: string,
): Promise<Attempt | undefined> =>
  queries.get<Attempt>(`select ${SELECTED} from connect_attempts where provider = $1 and attempt_digest = $2`, [
    provider,
    attemptDigest,
  ]);

/** Takes a parked attempt out of parking, once, and its code out of the database. Answers 0 where somebody was faster. */
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

/** Ends what is parked for a user, but for so many of the newest. That their states came back stays known. */
export const endOlderParked = (
  queries: Queries,
  { teamId, userId }: Pick<Attempt, 'teamId' | 'userId'>,
  newest: number,
  outcome: string,
): Promise<number> =>
  queries.run(
    `update connect_attempts set phase = 'done', callback = null, outcome = $3 where state_digest in (
      select state_digest from connect_attempts where team_id = $1 and user_id = $2 and phase = 'parked'
        order by created_at desc, state_digest limit ${PIECE} offset $4)`,
    [teamId, userId, outcome, newest],
  );

/** Answers 0 where the ticket was redeemed before. */
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

/** Codes that nobody came back for go as soon as they have expired, the rest when it cannot be asked for any more. */
export const deleteOldAttempts = async (queries: Queries, now: number, before: number): Promise<void> => {
  while ((await erasePieceOfOldCallbacks(queries, now)) === PIECE);
  const where = 'expires_at < $1';
  await deleteInPieces(queries, { from: 'connect_attempts', key: 'state_digest', where }, [before]);
  await deleteInPieces(queries, { from: 'used_tickets', key: 'digest', where }, [before]);
};
