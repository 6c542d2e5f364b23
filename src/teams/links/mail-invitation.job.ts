import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { type MailLinkDependencies, mailLink, quoteName } from './mail-link.ts';
import { LINK_LIFETIME_MS } from './sign-in-link.ts';

/** Tries for about three hours. A mail server may inspect an email for minutes before accepting it. */
export const mailInvitation = defineJob({
  name: 'mail-invitation',
  payload: Type.Object({ teamId: Type.String(), userId: Type.String() }),
  attempts: 9,
  firstRetryMs: 60_000,
  mostRetryMs: 3_600_000,
  timeoutMs: 5 * 60_000,
});

export const handleMailInvitation =
  (dependencies: MailLinkDependencies) =>
  (invited: { teamId: string; userId: string }): Promise<void> =>
    mailLink(dependencies, invited, {
      lifetimeMs: LINK_LIFETIME_MS.invitation,
      kind: 'invited',
      // Whoever has signed in meanwhile doesn't need one.
      isWanted: (user) => user.signedInAt === null,
      write: ({ address }, teamName) => ({
        subject: "You're invited to Patchbay",
        text: `You're invited to join the team${quoteName(teamName)} on Patchbay (${dependencies.url}). Use this link to sign in:

${address}

This link works once and expires in seven days. If you don't recognize this team, ignore this email.
`,
      }),
    });
