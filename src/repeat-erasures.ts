import type { App } from './app.ts';
import { readColumns, type Trust } from './archive/index.ts';
import { EVENTS_KEPT_MS } from './events/index.ts';
import { toIso } from './platform/index.ts';
import { COMMAND_LINE } from './teams/index.ts';
import { ERASED_CALLS_KEPT_MS } from './telephony/index.ts';

/** How long a database remembers what was erased. */
const ERASURES_KEPT_MS = Math.min(EVENTS_KEPT_MS, ERASED_CALLS_KEPT_MS);

/** How many of the erased teams and calls were in this database again. They are now erased or being erased. */
type Repeated = { teams: number; calls: number };

/** Reads from a backup which teams and calls were erased. Erasures before the returned `since` may be missing. */
export const readErasures = async (laterBackup: string, trust: Trust) => {
  const teams = new Set<string>();
  const calls: { teamId: string; accountId: string; callKey: string }[] = [];
  const { header, authenticated } = await readColumns(laterBackup, trust, {
    teams: {
      columns: ['id', 'erasing_at'],
      onRow: (id, erasingAt) => void (id !== null && erasingAt !== null && teams.add(id)),
    },
    events: {
      columns: ['team_id', 'type'],
      onRow: (id, type) => void (id !== null && type === 'team.erased' && teams.add(id)),
    },
    erased_calls: {
      columns: ['team_id', 'account_id', 'call_key'],
      onRow: (teamId, accountId, callKey) =>
        void calls.push({ teamId: teamId ?? '', accountId: accountId ?? '', callKey: callKey ?? '' }),
    },
  });
  return { teams, calls, authenticated, since: toIso(Date.parse(header.takenAt) - ERASURES_KEPT_MS) };
};

/** Erases these teams and calls again: restoring an earlier backup brought them back. Safe to run more than once. */
export const repeatErasures = async (
  app: App,
  { teams, calls }: Pick<Awaited<ReturnType<typeof readErasures>>, 'teams' | 'calls'>,
): Promise<Repeated> => {
  let found = 0;
  for (const id of teams) if (await app.erasure.beginAny(COMMAND_LINE, id)) found++;
  return { teams: found, calls: await app.telephony.eraseCallsAgain(calls) };
};
