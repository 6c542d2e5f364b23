import type { Transaction } from '../../platform/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { ALERT_KINDS, CHANNELS, type Channel, channelsFor } from './alert.ts';
import { getSettings, listDueTeams, lockAlerts, postpone, putTold, takeDue } from './alert-team-store.ts';
import { listInNotice, putInNotice } from './notice-alert-store.ts';

const TEAMS_AT_ONCE = 50;

/** The teams whose notice is due. */
export const listTeamsToTell = ({ database, clock }: EventsContext): Promise<string[]> =>
  listDueTeams(database, clock.now(), TEAMS_AT_ONCE);

/** Moves a team behind all others that are due, for example because sending to it failed. */
export const postponeTeam = ({ database, clock }: EventsContext, teamId: string): Promise<void> =>
  postpone(database, teamId, clock.now());

/** `channels`: where the team wants this notice. `leftOut`: how many alerts there were beyond the limit. */
type NewNotice = { channels: Channel[]; leftOut: number };

/** Puts a team's new alerts into one notice. Null if there are none, or if another process did this. */
export const takeNotice = async (
  { clock }: EventsContext,
  tx: Transaction,
  { teamId, noticeId }: { teamId: string; noticeId: string },
): Promise<NewNotice | null> => {
  const now = clock.now();
  // The team is being erased, which can take days. Move it behind the others.
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
  // The kinds of alerts that were left out are unknown, so assume every kind.
  const told = leftOut > 0 ? ALERT_KINDS : kinds;
  return { channels: CHANNELS.filter((channel) => told.some((kind) => channelsFor(settings, kind)[channel])), leftOut };
};

/** The alerts in a notice that are still open and wanted in this channel: how many, and the first few. */
export const readNotice = async (
  { database }: EventsContext,
  { channel, ...notice }: { teamId: string; noticeId: string; channel: Channel },
  limit: number,
) => {
  const settings = await getSettings(database, notice.teamId);
  const kinds = ALERT_KINDS.filter((kind) => channelsFor(settings, kind)[channel]);
  return listInNotice(database, notice, kinds, limit);
};
