import type { Queries } from '../../platform/index.ts';

/** A team that is being erased. Its row is deleted last. Until then, no other team can get its key. */
export type ErasingTeam = { id: string; key: string | null; erasingAt: number };

/** Begins the erasure, and clears the team's settings. Returns 0 if it has already begun, or if there is no team. */
export const markErasing = (queries: Queries, teamId: string, now: number): Promise<number> =>
  queries.run(
    `update teams set erasing_at = $2, erase_due_at = $2, name = '', time_zone = 'UTC', business_hours = null,
      report_recipients = null, recording_days = null where id = $1 and erasing_at is null`,
    [teamId, now],
  );

/** Finds a team, even one that is being erased. If a text is one team's ID and another's key, the ID wins. */
export const findByIdOrKey = (queries: Queries, idOrKey: string): Promise<{ id: string; name: string } | undefined> =>
  queries.get(
    'select id, name from teams where id = $1 or key = $1 order by case when id = $1 then 0 else 1 end limit 1',
    [idOrKey],
  );

/** The team whose erasure has been due for longest. */
export const findDueErasure = (queries: Queries, now: number): Promise<ErasingTeam | undefined> =>
  queries.get<ErasingTeam>(
    `select id, key, erasing_at as "erasingAt" from teams where erase_due_at is not null and erase_due_at <= $1
      order by erase_due_at limit 1`,
    [now],
  );

export const putOffErasure = (queries: Queries, teamId: string, dueAt: number): Promise<number> =>
  queries.run('update teams set erase_due_at = $2 where id = $1 and erasing_at is not null', [teamId, dueAt]);

/** Deletes the team's row. Fails if anything still refers to the team. */
export const deleteErasedTeam = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('delete from teams where id = $1 and erasing_at is not null', [teamId]);
