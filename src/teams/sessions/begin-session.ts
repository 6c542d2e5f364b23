import type { Caller } from '../../http/index.ts';
import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { signedInAsAnother } from '../errors.ts';
import { deleteUnprovedTokens } from '../records/access-token-store.ts';
import { type Credential, makeCredential } from '../records/credential.ts';
import { deleteUnusedLinks, insertCredential } from '../records/credential-store.ts';
import { describeEnded, endHandedBy } from '../records/handed-store.ts';
import type { Holder } from '../records/holder.ts';
import { hasProvedAddress, markReclaimed, markSignedIn } from '../records/proof-store.ts';
import { deleteOldSessions, deleteUnprovedSessions } from '../records/session-store.ts';
import { getUser, getUserForUpdate, type User } from '../records/user-store.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * How long sessions last. A person who is removed at the identity provider is out of Patchbay half a day later at the
 * latest.
 */
export const SESSION_LIFETIME_MS = { link: 30 * DAY_MS, outside: DAY_MS / 2 } as const;

export type BegunSession = { session: Credential; lifetimeMs: number };

/**
 * Whether two users are one person: both sign in with the same email address. An email address from an identity
 * provider isn't enough, because we haven't verified it.
 */
const isSamePerson = (one: User | undefined, other: User | undefined): boolean =>
  one?.source === 'patchbay' && other?.source === 'patchbay' && one.email === other.email;

/** Refuses a sign-in while another person is signed in at this browser. That person might not notice the change. */
export const refuseAnother = async (
  { database }: TeamsContext,
  current: Caller | null,
  holder: Holder,
): Promise<void> => {
  if (!current || current.userId === holder.userId) return;
  const user = await getUser(database, current.teamId, current.userId);
  if (isSamePerson(user, await getUser(database, holder.teamId, holder.userId))) return;
  throw signedInAsAnother(user?.email ?? user?.name ?? 'someone else');
};

/**
 * Runs at the first sign-in by the owner of the email address. Until then, the person who invited the owner could have
 * signed in as them. So this ends the user's earlier links, sessions, and tokens, except tokens that the operator made.
 * Also ends what came from sign-in links that were made as this user.
 */
const reclaimUser = async (
  context: TeamsContext,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
): Promise<void> => {
  // Creating a token or a link for the user locks the user, too. So each is either deleted below, or created after this
  // commits.
  await getUserForUpdate(tx, holder.teamId, holder.userId);
  await deleteUnusedLinks(tx, holder);
  await markReclaimed(tx, holder, context.clock.now());
  const sessions = await deleteUnprovedSessions(tx, holder);
  const tokens = await deleteUnprovedTokens(tx, holder);
  const ended = describeEnded(await endHandedBy(tx, holder));
  if (sessions + tokens === 0 && !ended) return;
  const entry = { action: 'member.reclaim', target: holder.userId, detail: { sessions, tokens, ...ended } };
  await recordAudit(context, tx, holder.teamId, actor, entry);
  tx.afterCommit(context.forgetCallers);
};

type NewSession = {
  lifetimeMs: number;
  provesAddress: boolean;
  device: string | null;
  /** The person who made the sign-in link, if they could have used it themselves. */
  handedBy?: string | null;
  /** Everyone who made a sign-in link on the way to this session, in the format of `formatHands`. */
  handedThrough?: string | null;
  /** The ID of the session that this one replaces. */
  id?: string;
};

/**
 * Begins a session for a person who has signed in. `provesAddress`: the person is known to own the email address, so
 * other teams with that address are theirs, too. Only this result contains the session's secret.
 */
export const beginSession = async (
  context: TeamsContext,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
  { lifetimeMs, provesAddress, device, handedBy = null, handedThrough = null, id = context.newId() }: NewSession,
): Promise<BegunSession> => {
  const now = context.clock.now();
  const who = { ...actor, kind: 'user', userId: holder.userId } as const;
  if (provesAddress && !(await hasProvedAddress(tx, holder))) await reclaimUser(context, tx, holder, who);
  const session = makeCredential(() => id);
  const span = { createdAt: now, expiresAt: now + lifetimeMs };
  const proof = { provesAddress: provesAddress ? 1 : 0, handedBy, handedThrough } as const;
  await insertCredential(tx, 'sessions', session, holder, { ...span, ...proof, device });
  await deleteOldSessions(tx, holder, session.id, context.limits.sessions - 1);
  await markSignedIn(tx, holder, now, provesAddress);
  await recordAudit(context, tx, holder.teamId, who, { action: 'session.begin' });
  return { session, lifetimeMs };
};
