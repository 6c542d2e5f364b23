import type { Caller } from '../../http/index.ts';
import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { linkGone } from '../errors.ts';
import type { Credential } from '../records/credential.ts';
import { deleteUnusedLinks, findFormerHolder, findHolderOf, useSignInLink } from '../records/credential-store.ts';
import { listMemberships } from '../records/membership-store.ts';
import { deleteSession, getSession } from '../records/session-store.ts';
import { getTeam } from '../records/team-store.ts';
import { getOnlyAdmin, getUser, lockUsers } from '../records/user-store.ts';
import { type BegunSession, beginSession, refuseAnother, SESSION_LIFETIME_MS } from '../sessions/begin-session.ts';

const refuseGone = async ({ database, clock }: TeamsContext, link: Credential): Promise<never> => {
  const former = await findFormerHolder(database, link, clock.now());
  const admin = former && (await getOnlyAdmin(database, former.teamId));
  throw linkGone(admin && admin.id === former.userId ? admin.email : null);
};

/** Returns the user of a link, for the page that asks for confirmation. Doesn't use up the link. */
export const getLinkHolder = async (context: TeamsContext, link: Credential) => {
  const { database, clock } = context;
  const holder =
    (await findHolderOf(database, 'sign_in_links', link, clock.now())) ?? (await refuseGone(context, link));
  const user = await getUser(database, holder.teamId, holder.userId);
  const team = await getTeam(database, holder.teamId);
  return { who: user?.email ?? user?.name ?? 'a member', team: team?.name ?? '' };
};

/**
 * If the current session proves that the person owns the email address, ends it and returns how much of its time is
 * left, or otherwise 0. The new session is proof for the rest of that time, but no longer. Otherwise, a person without
 * access to the mailbox could extend the proof forever, with one invitation after another.
 */
const tradeProof = async (
  context: TeamsContext,
  tx: Transaction,
  current: Caller | null,
  actor: AuditActor,
): Promise<number> => {
  if (current?.sessionId === undefined) return 0;
  const session = await getSession(tx, current, current.sessionId);
  const leftMs = session?.provesAddress ? session.expiresAt - context.clock.now() : 0;
  // If several sign-ins happen at once, only one of them can delete the session.
  if (leftMs <= 0 || (await deleteSession(tx, current, current.sessionId)) === 0) return 0;
  const who = { ...actor, kind: 'user', userId: current.userId } as const;
  await recordAudit(context, tx, current.teamId, who, { action: 'session.end', target: current.sessionId });
  tx.afterCommit(context.forgetCallers);
  return leftMs;
};

/**
 * Exchanges a link for a session, once. Refused if another person is signed in at this browser. `choosing`: the person
 * requested the link and has several teams, so they have to choose one.
 */
export const finishSignIn = async (
  context: TeamsContext,
  link: Credential,
  current: Caller | null,
  actor: AuditActor,
  device: string | null,
): Promise<BegunSession & { choosing: boolean }> => {
  const { database, clock } = context;
  const now = clock.now();
  const holder = (await findHolderOf(database, 'sign_in_links', link, now)) ?? (await refuseGone(context, link));
  await refuseAnother(context, current, holder);
  return database.transaction(async (tx) => {
    // Creating a link locks the user, too. So each link is either deleted below, or created after this commits.
    // Ending the current session's user's sessions locks that user, so lock it as well.
    await lockUsers(tx, current && current.userId !== holder.userId ? [holder, current] : [holder]);
    const used = await useSignInLink(tx, holder, link.id, now);
    if (!used) throw linkGone();
    const { kind, madeBy, handedThrough } = used;
    const leftMs = kind === 'handed' ? await tradeProof(context, tx, current, actor) : 0;
    const provesAddress = kind !== 'handed' || leftMs > 0;
    await deleteUnusedLinks(tx, holder);
    const lifetimeMs = leftMs > 0 ? Math.min(leftMs, SESSION_LIFETIME_MS.link) : SESSION_LIFETIME_MS.link;
    const kept = leftMs > 0 && current?.sessionId !== undefined ? { id: current.sessionId } : {};
    const handed = provesAddress ? {} : { handedBy: madeBy, handedThrough };
    const begun = await beginSession(context, tx, holder, actor, {
      ...{ lifetimeMs, provesAddress, device, ...handed },
      ...kept,
    });
    const choosing =
      kind === 'asked' && (await listMemberships(tx, { ...holder, sessionId: begun.session.id })).length > 1;
    return { ...begun, choosing };
  });
};
