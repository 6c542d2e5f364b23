import { createRateLimit } from '../../http/index.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Clock, Transaction } from '../../platform/index.ts';
import type { User } from '../records/user-store.ts';
import { mailInvitation } from './mail-invitation.job.ts';

/** Returns whether a link is emailed to them. */
export type InviteByMail = (tx: Transaction, user: User) => Promise<boolean>;

const DAY_MINUTES = 24 * 60;
const PER_TEAM_AND_LETTER_BOX = 5;
/** More than one team can use up, so that no team can block another's invitations. */
const PER_LETTER_BOX = 20;
const PER_TEAM = 100;

const createDailyLimit = (clock: Clock, perDay: number) =>
  createRateLimit({ clock, perMinute: perDay / DAY_MINUTES, minutes: DAY_MINUTES });

/**
 * Lets admins invite colleagues without flooding inboxes: so many a day, and one at a time while the mail server is
 * away.
 */
export const createInviteByMail = ({ clock, jobs }: { clock: Clock; jobs: Pick<Jobs, 'enqueue'> }): InviteByMail => {
  const letterBoxes = createDailyLimit(clock, PER_LETTER_BOX);
  const ownLetterBoxes = createDailyLimit(clock, PER_TEAM_AND_LETTER_BOX);
  const teams = createDailyLimit(clock, PER_TEAM);
  return async (tx, { id, teamId, email }) => {
    if (!email || ownLetterBoxes.take(`${teamId} ${email}`) > 0 || teams.take(teamId) > 0) return false;
    if (letterBoxes.take(email) > 0) return false;
    await jobs.enqueue(tx, mailInvitation, { teamId, userId: id }, { key: id });
    return true;
  };
};
