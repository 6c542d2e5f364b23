import type { Static } from 'typebox';
import { defineJob } from '../../jobs/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { createRateLimit } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import type { User } from '../records/user-store.ts';
import { LinkReceiver, quoteName, sendSignInLink } from './mail-link.ts';
import { LINK_LIFETIME_MS } from './make-sign-in-link.ts';

const DAY_MINUTES = 24 * 60;
const PER_TEAM_AND_INBOX = 5;
/** Higher than the limit per team (`PER_TEAM_AND_INBOX`), so that no team can use up an inbox's limit alone. */
const PER_INBOX = 20;
const PER_TEAM = 100;

/** Retries for about three hours. The timeout is long, because a mail server may inspect an email for minutes. */
export const mailInvitation = defineJob({
  name: 'mail-invitation',
  payload: LinkReceiver,
  attempts: 9,
  firstRetryMs: 60_000,
  mostRetryMs: 3_600_000,
  timeoutMs: 5 * 60_000,
});

export const handleMailInvitation =
  (context: TeamsContext) =>
  (invited: Static<typeof LinkReceiver>): Promise<void> =>
    sendSignInLink(context, invited, {
      lifetimeMs: LINK_LIFETIME_MS.invitation,
      kind: 'invited',
      // A person who has signed in meanwhile doesn't need the invitation.
      isWanted: (user) => user.signedInAt === null,
      write: (teamName) => ({
        subject: "You're invited to Patchbay",
        title: "You're invited to Patchbay",
        why: `You're invited to join the team${quoteName(teamName)} on Patchbay (${context.url}).`,
        button: 'Accept the invitation',
        limits: "This link works once and expires in seven days. If you don't recognize this team, ignore this email.",
      }),
    });

/**
 * Emails an invitation. To protect inboxes, only sends a limited number per day, and queues only one per person while
 * the mail server is down. Returns whether an email is sent.
 */
export const createInviteByMail = ({ clock, jobs }: TeamsContext) => {
  const limitPerDay = (most: number) => createRateLimit({ clock, perMinute: most / DAY_MINUTES, minutes: DAY_MINUTES });
  const inboxes = limitPerDay(PER_INBOX);
  const ownInboxes = limitPerDay(PER_TEAM_AND_INBOX);
  const teams = limitPerDay(PER_TEAM);
  return async (tx: Transaction, { id, teamId, email }: User): Promise<boolean> => {
    if (!email || ownInboxes.take(`${teamId} ${email}`) > 0 || teams.take(teamId) > 0) return false;
    if (inboxes.take(email) > 0) return false;
    await jobs.enqueue(tx, mailInvitation, { teamId, userId: id }, { key: id });
    return true;
  };
};
