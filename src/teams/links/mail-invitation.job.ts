import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { type MailLinkDependencies, mailLink, quoteName } from './mail-link.ts';
import { LINK_LIFETIME_MS } from './sign-in-link.ts';

/** For about three hours. A mail server may look into a mail for minutes before it takes it. */
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
      // Whoever has come meanwhile needs none.
      isWanted: (user) => user.signedInAt === null,
      write: ({ address }, teamName) => ({
        subject: 'You are invited to Patchbay',
        text: `You are invited to join the team${quoteName(teamName)} at Patchbay, ${dependencies.url}:

${address}

The link signs you in, once, within seven days. If you do not know this team, there is nothing to do.
`,
      }),
    });
