import { Type } from 'typebox';
import { defineJob } from '../jobs/index.ts';
import type { Clock, Database, Mailer, NewId } from '../platform/index.ts';
import { countUsableLinks } from './credential-store.ts';
import { nameOnOneLine, sendLetter } from './send-letter.ts';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink } from './sign-in-link.ts';
import { getTeam } from './team-store.ts';
import { getUser } from './user-store.ts';

type Dependencies = { database: Database; clock: Clock; newId: NewId; url: string; mailer: Mailer | null };

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
  ({ database, clock, newId, url, mailer }: Dependencies) =>
  async ({ teamId, userId }: { teamId: string; userId: string }): Promise<void> => {
    const user = await getUser(database, teamId, userId);
    if (!user?.email) return;
    if ((await countUsableLinks(database, holderOf(user), clock.now())) >= MOST_LINKS) return;
    const team = await getTeam(database, user.teamId);
    const link = await makeSignInLink({ clock, newId, url }, database, holderOf(user), LINK_LIFETIME_MS.asked);
    await sendLetter(mailer, {
      to: user.email,
      subject: 'Your link to sign in to Patchbay',
      text: `Somebody, probably you, asked for a link to sign in to Patchbay, team ${nameOnOneLine(team?.name ?? '')}:

${link.address}

It works once, within a day. If it was not you, there is nothing to do: without the link nobody gets in.
`,
    });
  };
