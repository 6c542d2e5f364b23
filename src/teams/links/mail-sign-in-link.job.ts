import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { type MailLinkDependencies, mailLink, quoteName } from './mail-link.ts';
import { LINK_LIFETIME_MS } from './sign-in-link.ts';

/** Who asked waits for it: after a quarter of an hour nobody does any more. */
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
        subject: 'Your link to sign in to Patchbay',
        text: `Somebody, probably you, asked for a link to sign in to Patchbay, team${quoteName(teamName)}:

${address}

It works once, within a day. If it was not you, there is nothing to do: without the link nobody gets in.
`,
      }),
    });
