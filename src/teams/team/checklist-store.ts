import type { Queries } from '../../platform/index.ts';

/** What can't be told from anything else. */
export type Checklist = { recipientsChosenAt: number | null; dismissedAt: number | null };

export const getChecklist = async (queries: Queries, teamId: string): Promise<Checklist> =>
  (await queries.get<Checklist>(
    `select recipients_chosen_at as "recipientsChosenAt", checklist_dismissed_at as "dismissedAt" from teams where id = $1`,
    [teamId],
  )) ?? { recipientsChosenAt: null, dismissedAt: null };

/** The first time stays. */
export const putRecipientsChosen = (queries: Queries, teamId: string, now: number): Promise<number> =>
  queries.run('update teams set recipients_chosen_at = $2 where id = $1 and recipients_chosen_at is null', [
    teamId,
    now,
  ]);

export const putChecklistDismissed = (queries: Queries, teamId: string, now: number): Promise<number> =>
  queries.run('update teams set checklist_dismissed_at = $2 where id = $1 and checklist_dismissed_at is null', [
    teamId,
    now,
  ]);
