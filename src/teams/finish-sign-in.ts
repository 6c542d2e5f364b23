import type { Caller } from '../http/index.ts';
import type { AuditActor } from './audit-store.ts';
import { type BegunSession, beginSession, refuseAnother, type SignInDependencies } from './begin-session.ts';
import type { Credential } from './credential.ts';
import { deleteUnusedLinks, findHolder, useSignInLink } from './credential-store.ts';
import { linkGone } from './errors.ts';
import { getTeam } from './team-store.ts';
import { getUser, getUserForUpdate } from './user-store.ts';

/** Who a link signs in, for the page that asks. Uses nothing up. */
export const getLinkHolder = async ({ database, clock }: SignInDependencies, link: Credential) => {
  const holder = await findHolder(database, 'sign_in_links', link, clock.now());
  if (!holder) throw linkGone();
  const user = await getUser(database, holder.teamId, holder.userId);
  const team = await getTeam(database, holder.teamId);
  return { holder, who: user?.email ?? user?.name ?? 'a member', team: team?.name ?? '' };
};

/** Trades a link for a session: once, and never over another user's session. */
export const finishSignIn = async (
  dependencies: SignInDependencies,
  link: Credential,
  current: Caller | null,
  actor: AuditActor,
): Promise<BegunSession> => {
  const { database, clock } = dependencies;
  const now = clock.now();
  const holder = await findHolder(database, 'sign_in_links', link, now);
  if (!holder) throw linkGone();
  await refuseAnother(dependencies, current, holder);
  return database.transaction(async (tx) => {
    // Whoever makes a link for them at this moment has the same lock, so that none is left over.
    await getUserForUpdate(tx, holder.teamId, holder.userId);
    if ((await useSignInLink(tx, holder, link.id, now)) === 0) throw linkGone();
    await deleteUnusedLinks(tx, holder);
    return beginSession(dependencies, tx, holder, actor, 'link');
  });
};
