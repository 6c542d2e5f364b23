import { createSharedRuns, type Database, OWN, oncePer, type Transaction, workFor } from '../../platform/index.ts';
import { listTeamKeys } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { TEAM_ERASED, UNMATCHED } from './event.ts';
import {
  deleteTeamEnds,
  hasUnnumbered,
  listTeamEnds,
  listUnnumbered,
  lockLog,
  type Numbered,
  putLogEnd,
  putNumbers,
  putTeamEnds,
  type TeamEnd,
  type Unnumbered,
} from './log-store.ts';
import { findTurns, putTurns } from './log-time-store.ts';

const AT_ONCE = 500;

/** Whose sequence an event has a number in. What belongs to no team has a sequence of its own. */
const sequenceOf = ({ teamId, type }: Unnumbered): string => (type === UNMATCHED ? '' : teamId);

const sequencesOf = (events: readonly Unnumbered[]): string[] => [...new Set(events.map(sequenceOf))];

/** Assigns a position and a sequence number to each event, and advances `teamEnds`. */
const assignNumbers = (
  events: readonly Unnumbered[],
  end: number,
  teamEnds: Map<string, TeamEnd>,
  keys: ReadonlyMap<string, string>,
): Numbered[] =>
  events.map((event, index) => {
    const { id, teamKey } = event;
    const teamId = sequenceOf(event);
    const position = end + index + 1;
    const sequence = (teamEnds.get(teamId)?.sequence ?? 0) + 1;
    teamEnds.set(teamId, { teamId, sequence, position });
    return { id, teamKey: keys.get(teamId) ?? teamKey, position, sequence };
  });

const numberSome = async (tx: Transaction): Promise<number> => {
  const end = await lockLog(tx);
  const events = await listUnnumbered(tx, AT_ONCE);
  if (events.length === 0) return 0;
  const teamIds = sequencesOf(events);
  const teamEnds = new Map((await listTeamEnds(tx, teamIds)).map((teamEnd) => [teamEnd.teamId, teamEnd]));
  const keys = new Map((await listTeamKeys(tx, teamIds)).map(({ id, key }) => [id, key]));
  await putNumbers(tx, assignNumbers(events, end.position, teamEnds, keys));
  await putTeamEnds(tx, [...teamEnds.values()]);
  const erased = events.filter(({ type }) => type === TEAM_ERASED);
  if (erased.length > 0) await deleteTeamEnds(tx, sequencesOf(erased));
  const { turns, latest } = findTurns(events, end);
  if (turns.length > 0) await putTurns(tx, turns);
  await putLogEnd(tx, { position: end.position + events.length, latest });
  return events.length;
};

const numberAll = async (database: Database): Promise<void> => {
  while (await hasUnnumbered(database)) {
    const numbered = await database.transaction(numberSome);
    if (numbered < AT_ONCE) return;
  }
};

const numberingIn = oncePer((database: Database) => createSharedRuns(() => workFor(OWN, () => numberAll(database))));

/**
 * Gives events their position in the log after they are committed. If it were given earlier, position 2 could be
 * committed before position 1, and a reader who has read 2 would never see 1. Here, one transaction at a time numbers
 * the committed events, so positions become visible in order.
 */
export const numberEvents = async ({ database }: Pick<EventsContext, 'database'>): Promise<void> => {
  if (await hasUnnumbered(database)) await numberingIn(database)();
};
