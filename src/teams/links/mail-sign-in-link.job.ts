import type { Static } from 'typebox';
import { defineJob } from '../../jobs/index.ts';
import type { TeamsContext } from '../context.ts';
import { normalizeEmail } from '../records/add-user.ts';
import { listUsersByEmail } from '../records/user-store.ts';
import { LinkReceiver, quoteName, sendSignInLink } from './mail-link.ts';
import { LINK_LIFETIME_MS } from './make-sign-in-link.ts';

/** Retries for up to 15 minutes, because the person who asked is waiting for the email. */
export const mailSignInLink = defineJob({
  name: 'mail-sign-in-link',
  payload: LinkReceiver,
  attempts: 5,
  firstRetryMs: 5_000,
  mostRetryMs: 5 * 60_000,
  timeoutMs: 5 * 60_000,
});

export const handleMailSignInLink =
  (context: TeamsContext) =>
  (asking: Static<typeof LinkReceiver>): Promise<void> =>
    sendSignInLink(context, asking, {
      lifetimeMs: LINK_LIFETIME_MS.asked,
      kind: 'asked',
      write: (teamName) => ({
        subject: 'Your Patchbay sign-in link',
        title: 'Sign in to Patchbay',
        why: `You asked to sign in to your team${quoteName(teamName)} on Patchbay.`,
        button: 'Sign in',
        limits: "This link works once and expires in a day. If you didn't request this, you can ignore this email.",
      }),
    });

/**
 * Emails a sign-in link to this email address. One link is enough for all teams of the person, who chooses a team after
 * signing in. For an unknown email address, enqueues a job that emails no one. So the response time doesn't reveal
 * which addresses are known.
 */
export const askForLink = async ({ database, newId, jobs }: TeamsContext, email: string): Promise<void> => {
  const [user] = await listUsersByEmail(database, normalizeEmail(email));
  const receiver = { teamId: user?.teamId ?? newId(), userId: user?.id ?? newId() };
  await database.transaction((tx) => jobs.enqueue(tx, mailSignInLink, receiver));
};
