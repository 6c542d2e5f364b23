import { defineJob, type JobContext } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { eraseTeam } from './erase-team.ts';
import { findDueErasure, putOffErasure } from './erasing-team-store.ts';
import type { TeamEraser } from './team-eraser.ts';

export const ERASE_TEAMS_EVERY_MS = 5_000;
const WORK_MS = 45_000;

/**
 * Work that a run doesn't finish is still due in the next run. If the process ends, the job runs again right after the
 * next start.
 */
export const eraseTeams = defineJob({
  name: 'erase-teams',
  payload: Type.Object({}),
  attempts: 3,
  timeoutMs: 5 * 60_000,
});

/** Erases one team after the other, each for a few seconds at a time. */
export const handleEraseTeams =
  (context: TeamsContext, erasers: readonly TeamEraser[]) =>
  async (_payload: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> => {
    const { database, clock } = context;
    const stopAt = performance.now() + WORK_MS;
    while (performance.now() < stopAt) {
      const team = await findDueErasure(database, clock.now());
      if (!team) return;
      const dueAt = await eraseTeam(context, erasers, team, signal);
      if (dueAt !== null) await putOffErasure(database, team.id, dueAt);
    }
  };
