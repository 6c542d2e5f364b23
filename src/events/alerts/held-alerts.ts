import type { Transaction } from '../../platform/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { LONGEST_PAUSE_MS, REMEMBERED_MS, tellAtOf } from './alert.ts';
import { type Cause, getFormer, listTeamsHeldUntil, releaseHeldUntil } from './alert-store.ts';
import { lockAlerts, putDue } from './alert-team-store.ts';

const TEAMS_AT_ONCE = 50;

/** When to tell people about a cause that begins now. Null for the next notice. Call `lockAlerts` first. */
export const findTellAt = async (tx: Transaction, cause: Cause, now: number): Promise<number | null> =>
  tellAtOf(now, await getFormer(tx, cause, now - REMEMBERED_MS));

/** Releases held alerts whose cause wasn't resolved in time. They go into the next notice. */
export const releaseHeldAlerts = async ({ database, clock }: EventsContext): Promise<void> => {
  // A time that is further ahead than any pause was written by a clock that has been set back since.
  const due = { now: clock.now(), far: clock.now() + LONGEST_PAUSE_MS };
  for (const teamId of await listTeamsHeldUntil(database, due, TEAMS_AT_ONCE))
    await database.transaction(async (tx) => {
      const exists = await lockTeam(tx, teamId);
      if (exists) await lockAlerts(tx, teamId);
      const released = await releaseHeldUntil(tx, teamId, due);
      if (exists && released > 0) await putDue(tx, teamId, due.now);
    });
};
