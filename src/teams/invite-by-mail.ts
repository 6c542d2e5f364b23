import { createRateLimit } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Transaction } from '../platform/index.ts';
import { mailInvitation } from './mail-invitation.job.ts';
import type { User } from './user-store.ts';

/** Answers whether a link goes to them by mail. */
export type InviteByMail = (tx: Transaction, user: User) => Promise<boolean>;

const PER_LETTER_BOX = 2;
const PER_TEAM = 20;

/** A few a minute: an admin invites colleagues, and fills no letter boxes. */
export const createInviteByMail = ({ clock, jobs }: { clock: Clock; jobs: Pick<Jobs, 'enqueue'> }): InviteByMail => {
  const letterBoxes = createRateLimit({ clock, perMinute: PER_LETTER_BOX });
  const teams = createRateLimit({ clock, perMinute: PER_TEAM });
  return async (tx, { id, teamId, email }) => {
    if (!email || teams.take(teamId) > 0 || letterBoxes.take(email) > 0) return false;
    await jobs.enqueue(tx, mailInvitation, { teamId, userId: id });
    return true;
  };
};
