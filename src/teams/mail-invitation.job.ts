import { Type } from 'typebox';
import { defineJob } from '../jobs/index.ts';
import type { Clock, Database, Mailer, NewId } from '../platform/index.ts';
import { nameOnOneLine, sendLetter } from './send-letter.ts';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink } from './sign-in-link.ts';
import { getTeam } from './team-store.ts';
import { getUser } from './user-store.ts';

type Dependencies = { database: Database; clock: Clock; newId: NewId; url: string; mailer: Mailer | null };

/** For about three hours: by then whoever invited has the link on their screen no more, and asks again. */
export const mailInvitation = defineJob({
  name: 'mail-invitation',
  payload: Type.Object({ teamId: Type.String(), userId: Type.String() }),
  attempts: 7,
  firstRetryMs: 60_000,
  mostRetryMs: 3_600_000,
});

/** The link is made here, so that it is in no job. Whoever has come meanwhile needs none. */
export const handleMailInvitation =
  ({ database, clock, newId, url, mailer }: Dependencies) =>
  async ({ teamId, userId }: { teamId: string; userId: string }): Promise<void> => {
    const [user, team] = await Promise.all([getUser(database, teamId, userId), getTeam(database, teamId)]);
    if (!user?.email || user.signedInAt !== null || !team) return;
    const link = await makeSignInLink({ clock, newId, url }, database, holderOf(user), LINK_LIFETIME_MS.invitation);
    const name = nameOnOneLine(team.name);
    await sendLetter(mailer, {
      to: user.email,
      subject: 'You are invited to Patchbay',
      text: `You are invited to join the team ${name} at Patchbay, ${url}:

${link.address}

The link signs you in, once, within seven days. If you do not know this team, there is nothing to do.
`,
    });
  };
