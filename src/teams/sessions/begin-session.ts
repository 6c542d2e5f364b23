import type { Caller } from '../../http/index.ts';
import type { Clock, Database, NewId, Transaction } from '../../platform/index.ts';
import { signedInAsAnother } from '../errors.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { type Credential, makeCredential } from '../records/credential.ts';
import { type Holder, insertSession } from '../records/credential-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import { deleteOldSessions } from '../records/session-store.ts';
import type { TeamLimits } from '../records/team-limits.ts';
import { getUser, hasProvedAddress, markSignedIn, type User } from '../records/user-store.ts';
import { reclaimUser } from './reclaim-user.ts';

const DAY_MS = 24 * 3_600_000;

/** Anyone who is removed at the identity provider is out here half a day later. */
export const SESSION_LIFETIME_MS = { link: 30 * DAY_MS, outside: DAY_MS / 2 } as const;

/** `provesAddress`: the person is known to own their address, so other teams with that address are theirs, too. */
export type NewSession = { lifetimeMs: number; provesAddress: boolean };

export type BegunSession = { session: Credential; lifetimeMs: number };

export type SignInDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  limits: Pick<TeamLimits, 'sessions'>;
  forgetCallers(): void;
};

/** Users in two teams with the same address here. At an identity provider, an address may be anyone's. */
const isSamePerson = (one: User | undefined, other: User | undefined): boolean =>
  one !== undefined && other !== undefined && !one.outside && !other.outside && one.email === other.email;

/** Nobody is signed in over another person's session, because the person at the browser wouldn't notice. */
export const refuseAnother = async (
  { database }: SignInDependencies,
  current: Caller | null,
  holder: Holder,
): Promise<void> => {
  if (!current || current.userId === holder.userId) return;
  const user = await getUser(database, current.teamId, current.userId);
  if (isSamePerson(user, await getUser(database, holder.teamId, holder.userId))) return;
  throw signedInAsAnother(user?.email ?? user?.name ?? 'someone else');
};

/** Lets someone in who has proved who they are. Only this result ever contains the session's secret. */
export const beginSession = async (
  dependencies: SignInDependencies,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
  { lifetimeMs, provesAddress }: NewSession,
): Promise<BegunSession> => {
  const { clock, newId } = dependencies;
  const now = clock.now();
  const who = { ...actor, kind: 'user', userId: holder.userId } as const;
  if (provesAddress && !(await hasProvedAddress(tx, holder))) await reclaimUser(dependencies, tx, holder, who);
  const session = makeCredential(newId);
  await insertSession(tx, session, holder, { at: now, expiresAt: now + lifetimeMs, provesAddress });
  await deleteOldSessions(tx, holder, dependencies.limits.sessions);
  await markSignedIn(tx, holder, now, provesAddress);
  await recordAudit(dependencies, tx, holder.teamId, who, { action: 'session.begin' });
  return { session, lifetimeMs };
};
