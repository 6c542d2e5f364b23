import type { Transaction } from '../../platform/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { ALERT_KINDS, CHANNELS, type Channel, channelsFor } from './alert.ts';
import { listInNotice, putInNotice } from './alert-store.ts';
import { getSettings, listDueTeams, lockAlerts, postpone, putTold, takeDue } from './alert-team-store.ts';

const TEAMS_AT_ONCE = 50;

/** The teams for which it's time. */
export const listTeamsToTell = ({ database, clock }: EventsContext): Promise<string[]> =>
  listDueTeams(database, clock.now(), TEAMS_AT_ONCE);

/** Tells a team after all others that are due, for example because it couldn't be told now. */
export const postponeTeam = ({ database, clock }: EventsContext, teamId: string): Promise<void> =>
  postpone(database, teamId, clock.now());

/** `channels`: those by which the team wants to be told. `leftOut`: how many causes there was no room for. */
type NewNotice = { channels: Channel[]; leftOut: number };

/** Puts everything that is new for a team into one notice. Null if that's nothing, or another process did. */
export const takeNotice = async (
  { clock }: EventsContext,
  tx: Transaction,
  { teamId, noticeId }: { teamId: string; noticeId: string },
): Promise<NewNotice | null> => {
  const now = clock.now();
  // The team is being erased, which can take days.
  if (!(await lockTeam(tx, teamId))) {
    await postpone(tx, teamId, now);
    return null;
  }
  await lockAlerts(tx, teamId);
  const due = await takeDue(tx, teamId, now);
  if (!due) return null;
  const { leftOut } = due;
  const { opened, resolved } = await putInNotice(tx, teamId, noticeId);
  const kinds = [...opened, ...resolved];
  if (kinds.length === 0 && leftOut === 0) return null;
  await putTold(tx, teamId, now);
  const settings = await getSettings(tx, teamId);
  // Of what was left out, nobody knows what it was.
  const told = leftOut > 0 ? ALERT_KINDS : kinds;
  return { channels: CHANNELS.filter((channel) => told.some((kind) => channelsFor(settings, kind)[channel])), leftOut };
};

/** What a notice still has to say by this channel, with the first few alerts. */
export const readNotice = async (
  { database }: EventsContext,
  { channel, ...notice }: { teamId: string; noticeId: string; channel: Channel },
  limit: number,
) => {
  const settings = await getSettings(database, notice.teamId);
  const kinds = ALERT_KINDS.filter((kind) => channelsFor(settings, kind)[channel]);
  return listInNotice(database, notice, kinds, limit);
};
