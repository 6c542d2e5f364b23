import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { type MailLinkDependencies, mailLink, quoteName } from './mail-link.ts';
import { LINK_LIFETIME_MS } from './sign-in-link.ts';

/** Whoever asked is waiting for it, but not for more than a quarter of an hour. */
export const mailSignInLink = defineJob({
  name: 'mail-sign-in-link',
  payload: Type.Object({ teamId: Type.String(), userId: Type.String() }),
  attempts: 5,
  firstRetryMs: 5_000,
  mostRetryMs: 5 * 60_000,
  timeoutMs: 5 * 60_000,
});

export const handleMailSignInLink =
  (dependencies: MailLinkDependencies) =>
  (asking: { teamId: string; userId: string }): Promise<void> =>
    mailLink(dependencies, asking, {
      lifetimeMs: LINK_LIFETIME_MS.asked,
      kind: 'asked',
      write: ({ address }, teamName) => ({
        subject: 'Your Patchbay sign-in link',
        text: `Use this link to sign in to your team${quoteName(teamName)} on Patchbay:

${address}

This link works once and expires in a day. If you didn't request this, you can ignore this email.
`,
      }),
    });
