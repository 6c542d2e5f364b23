import type { Static } from 'typebox';
import { leadsSomewhere } from '../../mail/index.ts';
import { Type } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { countUsableLinks, deleteLink, type LinkKind } from '../records/credential-store.ts';
import { holderOf } from '../records/holder.ts';
import { getTeam } from '../records/team-store.ts';
import { getUserForUpdate, type User } from '../records/user-store.ts';
import { makeSignInLink } from './make-sign-in-link.ts';
import { type LinkLetter, renderLinkMail } from './render-link-mail.ts';

/** The payload of the jobs that email a link. */
export const LinkReceiver = Type.Object({ teamId: Type.String(), userId: Type.String() });

type Letter = {
  lifetimeMs: number;
  kind: Exclude<LinkKind, 'handed'>;
  /** Whether the email is still needed. The user's row is locked, so the answer stays true until the link is stored. */
  isWanted?(user: User): boolean;
  write(teamName: string): LinkLetter;
};

const MOST_NAME = 60;
/** The most unused links per user. Each of them works, so the user doesn't need more. */
const MOST_LINKS = 5;

/** A team's name for a person who may not know the team: on one line, short, and left out if it looks like a link. */
export const quoteName = (name: string): string => {
  const plain = name.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '').trim();
  return leadsSomewhere(plain) ? '' : ` “${plain.slice(0, MOST_NAME)}”`;
};

/**
 * Creates a sign-in link for one person and emails it. Both happen inside a job, so that no job payload contains the
 * link. If the mail server certainly didn't accept the email, the link is deleted, because nobody has it. If that's
 * unclear, the link stays.
 */
export const sendSignInLink = async (
  context: TeamsContext,
  { teamId, userId }: Static<typeof LinkReceiver>,
  { lifetimeMs, kind, isWanted, write }: Letter,
): Promise<void> => {
  const { database, clock, mailer } = context;
  if (!mailer) return;
  const team = await getTeam(database, teamId);
  const made = await database.transaction(async (tx) => {
    const user = await getUserForUpdate(tx, teamId, userId);
    if (!user?.email || isWanted?.(user) === false) return null;
    const holder = holderOf(user);
    if ((await countUsableLinks(tx, holder, clock.now())) >= MOST_LINKS) return null;
    return { to: user.email, link: await makeSignInLink(context, tx, holder, lifetimeMs, kind) };
  });
  if (!made) return;
  const { to, link } = made;
  const letter = renderLinkMail(link.address, write(team?.name ?? ''));
  const failure = await mailer.send({ to, ...letter }, async () => undefined);
  if (!failure || failure.kind === 'unclear') return;
  await deleteLink(database, teamId, link.id);
  if (failure.kind === 'later') throw new Error(failure.problem);
};
