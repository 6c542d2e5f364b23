import { Type } from 'typebox';
import { defineJob } from '../jobs/index.ts';
import type { Clock, Database, NewId } from '../platform/index.ts';
import { countUsableLinks } from './credential-store.ts';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink } from './sign-in-link.ts';
import { getTeam } from './team-store.ts';
import { getUser } from './user-store.ts';

/** A letter to one person. */
export type Letter = { to: string; subject: string; text: string };

/** Throws where it may be tried again. */
export type SendLetter = (letter: Letter) => Promise<void>;

type Dependencies = { database: Database; clock: Clock; newId: NewId; url: string; sendLetter: SendLetter };

/** Any of them signs in: more would only fill somebody's letter box. */
const MOST_LINKS = 5;

/** Who asked waits for it: after a quarter of an hour nobody does any more. */
export const mailSignInLink = defineJob({
  name: 'mail-sign-in-link',
  payload: Type.Object({ teamId: Type.String(), userId: Type.String() }),
  attempts: 5,
  firstRetryMs: 5_000,
  mostRetryMs: 5 * 60_000,
});

/** The link is made here, so that it is in no job. */
export const handleMailSignInLink =
  ({ database, clock, newId, url, sendLetter }: Dependencies) =>
  async ({ teamId, userId }: { teamId: string; userId: string }): Promise<void> => {
    const user = await getUser(database, teamId, userId);
    if (!user?.email) return;
    if ((await countUsableLinks(database, holderOf(user), clock.now())) >= MOST_LINKS) return;
    const team = await getTeam(database, user.teamId);
    const link = await makeSignInLink({ clock, newId, url }, database, holderOf(user), LINK_LIFETIME_MS.asked);
    await sendLetter({
      to: user.email,
      subject: 'Your link to sign in to Patchbay',
      text: `Somebody, probably you, asked for a link to sign in to Patchbay, team ${team?.name.replaceAll(/\s+/g, ' ') ?? ''}:

${link.address}

It works once, within a day. If it was not you, there is nothing to do: without the link nobody gets in.
`,
    });
  };
