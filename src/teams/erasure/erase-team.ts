import { recordAudit, SERVICE } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { ensureCustomerUser } from '../operator/customer-user.ts';
import { deleteUser } from '../records/user-store.ts';
import { createErasurePace, SliceOver } from './create-pace.ts';
import { eraseCredentials, erasePeople } from './erase-people.ts';
import { deleteErasedTeam, type ErasingTeam } from './erasing-team-store.ts';
import type { TeamEraser, TeamToErase } from './team-eraser.ts';

/**
 * Requests and refreshes that began before the erasure may still write something. After this time, all of them are
 * done.
 */
const SETTLED_AFTER_MS = 20_000;
/** If something can't be erased yet, the next wait is as long as the erasure so far, within these limits. */
const LEAST_WAIT_MS = 10_000;
const MOST_WAIT_MS = 3_600_000;

/** Runs the erasers. If one fails, the others still run. Returns how many rows can't be erased yet. */
const runErasers = async (erasers: readonly TeamEraser[], team: TeamToErase): Promise<number> => {
  const failures: unknown[] = [];
  let staying = 0;
  for (const eraser of erasers)
    try {
      staying += await eraser.erase(team);
    } catch (error) {
      if (error instanceof SliceOver) throw error;
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return staying;
};

/** Deletes the team's row and the rest of its data. Fails if a row that refers to the team was written meanwhile. */
const removeTombstone = async (
  context: TeamsContext,
  erasers: readonly TeamEraser[],
  { id: teamId, key }: ErasingTeam,
  heirId: string,
): Promise<void> => {
  const { database, vault, jobs } = context;
  await jobs.forget('teamId', teamId);
  await database.transaction(async (tx) => {
    await deleteUser(tx, teamId, heirId);
    await vault.deleteTeamKey(tx, teamId);
    await deleteErasedTeam(tx, teamId);
    await recordAudit(context, tx, null, SERVICE, { action: 'team.erase' });
    for (const eraser of erasers) await eraser.gone?.(tx, teamId, key);
  });
};

/**
 * Runs one round over everything that is left of a team, including what earlier rounds didn't finish. Returns when the
 * next round is due, or null if nothing is left.
 */
export const eraseTeam = async (
  context: TeamsContext,
  erasers: readonly TeamEraser[],
  erasing: ErasingTeam,
  signal: AbortSignal,
): Promise<number | null> => {
  const { clock, log } = context;
  const { id: teamId, erasingAt } = erasing;
  const waitLonger = (): number => {
    const now = clock.now();
    return now + Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, now - erasingAt));
  };
  try {
    const { id: heirId } = await ensureCustomerUser(context, teamId, { key: null });
    const credentials: TeamEraser = { erase: (team) => eraseCredentials(context, team) };
    const people: TeamEraser = { erase: (team) => erasePeople(context, team) };
    const settledAt = erasingAt + SETTLED_AFTER_MS;
    const isSettled = clock.now() >= settledAt;
    const team = { teamId, erasingAt, isSettled, heirId, pace: createErasurePace(signal) };
    if ((await runErasers([credentials, ...erasers, people], team)) > 0) return waitLonger();
    if (!isSettled) return settledAt;
    await removeTombstone(context, erasers, erasing, heirId);
    return null;
  } catch (err) {
    if (err instanceof SliceOver) return clock.now();
    signal.throwIfAborted();
    log.warn({ err, team: teamId }, 'a team could not be erased completely yet');
    return waitLonger();
  }
};
