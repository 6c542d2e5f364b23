import type { Caller } from '../http/index.ts';
import type { Clock, Database, NewId } from '../platform/index.ts';
import type { AuditActor } from './audit-store.ts';
import { type Credential, makeCredential } from './credential.ts';
import { deleteUnusedLinks, findHolder, type Holder, insertSession, useSignInLink } from './credential-store.ts';
import { linkGone, signedInAsAnother } from './errors.ts';
import { recordAudit } from './record-audit.ts';
import { getTeam } from './team-store.ts';
import { getUser, markSignedIn } from './user-store.ts';

export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;

export type SignInDependencies = { database: Database; clock: Clock; newId: NewId };

/** Who a link signs in, for the page that asks. Uses nothing up. */
export const getLinkHolder = async ({ database, clock }: SignInDependencies, link: Credential) => {
  const holder = await findHolder(database, 'sign_in_links', link, clock.now());
  if (!holder) throw linkGone();
  const user = await getUser(database, holder.teamId, holder.userId);
  const team = await getTeam(database, holder.teamId);
  return { holder, who: user?.email ?? user?.name ?? 'a member', team: team?.name ?? '' };
};

const refuseAnother = async (
  dependencies: SignInDependencies,
  current: Caller | null,
  holder: Holder,
): Promise<void> => {
  if (!current || current.userId === holder.userId) return;
  const user = await getUser(dependencies.database, current.teamId, current.userId);
  throw signedInAsAnother(user?.email ?? user?.name ?? 'somebody else');
};

/** Trades a link for a session: once, and never over another user's session. */
export const finishSignIn = async (
  dependencies: SignInDependencies,
  link: Credential,
  current: Caller | null,
  actor: AuditActor,
): Promise<{ session: Credential; expiresAt: number }> => {
  const { database, clock, newId } = dependencies;
  const now = clock.now();
  const holder = await findHolder(database, 'sign_in_links', link, now);
  if (!holder) throw linkGone();
  await refuseAnother(dependencies, current, holder);
  const session = makeCredential(newId);
  const expiresAt = now + SESSION_LIFETIME_MS;
  await database.transaction(async (tx) => {
    if ((await useSignInLink(tx, holder, link.id, now)) === 0) throw linkGone();
    await deleteUnusedLinks(tx, holder);
    await insertSession(tx, session, holder, now, expiresAt);
    await markSignedIn(tx, holder.teamId, holder.userId, now);
    await recordAudit(
      dependencies,
      tx,
      holder.teamId,
      { ...actor, kind: 'user', userId: holder.userId },
      { action: 'session.begin' },
    );
  });
  return { session, expiresAt };
};
