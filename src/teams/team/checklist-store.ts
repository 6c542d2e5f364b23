import type { Queries } from '../../platform/index.ts';

/** What can't be told from anything else. */
type Checklist = { welcomedAt: number | null; recipientsChosenAt: number | null; dismissedAt: number | null };

const NOTHING_YET: Checklist = { welcomedAt: null, recipientsChosenAt: null, dismissedAt: null };

/** A moment that is kept when it comes. The first time stays. */
const putOnce =
  (column: 'welcomed_at' | 'recipients_chosen_at' | 'checklist_dismissed_at') =>
  (queries: Queries, teamId: string, now: number): Promise<number> =>
    queries.run(`update teams set ${column} = $2 where id = $1 and ${column} is null`, [teamId, now]);

export const getChecklist = async (queries: Queries, teamId: string): Promise<Checklist> =>
  (await queries.get<Checklist>(
    `select welcomed_at as "welcomedAt", recipients_chosen_at as "recipientsChosenAt",
      checklist_dismissed_at as "dismissedAt" from teams where id = $1`,
    [teamId],
  )) ?? NOTHING_YET;

export const putWelcomed = putOnce('welcomed_at');
export const putRecipientsChosen = putOnce('recipients_chosen_at');
export const putChecklistDismissed = putOnce('checklist_dismissed_at');
