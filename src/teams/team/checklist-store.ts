import type { Queries } from '../../platform/index.ts';

/** Steps of the checklist that can't be derived from other data. */
type Checklist = { welcomedAt: number | null; recipientsChosenAt: number | null; dismissedAt: number | null };

const NOTHING_YET: Checklist = { welcomedAt: null, recipientsChosenAt: null, dismissedAt: null };

/** Stores the time of a step. Only the first time is kept. */
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
