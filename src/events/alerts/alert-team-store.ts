import type { Queries, Transaction } from '../../platform/index.ts';
import { type AlertSettings, completeSettings, DEFAULT_SETTINGS, dueAtOf, LEAST_APART_MS } from './alert.ts';

/** The position up to which the log has been read for alerts, and the position where the log ends. */
export const getPlace = async (queries: Queries): Promise<{ position: number; end: number }> =>
  (await queries.get<{ position: number; end: number }>(
    `select a.position as position, l.position as "end" from event_alert_log a join event_log l on l.id = 1 where a.id = 1`,
  )) ?? { position: 0, end: 0 };

/** Stores how far the log has been read for alerts. Returns 0 if another process has read further meanwhile. */
export const movePlace = (tx: Transaction, from: number, to: number): Promise<number> =>
  tx.run('update event_alert_log set position = $2 where id = 1 and position = $1', [from, to]);

type SettingsRow = { teamId: string; settings: string };

/** Completes stored settings. Settings from earlier versions don't say which alerts the pages show. */
const toSettings = (text: string): AlertSettings => completeSettings({ ...DEFAULT_SETTINGS, ...JSON.parse(text) });

export const getSettings = async (queries: Queries, teamId: string): Promise<AlertSettings> => {
  const row = await queries.get<SettingsRow>(
    'select team_id as "teamId", settings from event_alert_settings where team_id = $1',
    [teamId],
  );
  return row ? toSettings(row.settings) : DEFAULT_SETTINGS;
};

/** The settings of these teams. Teams with the default settings have no row. */
export const listSettings = async (
  queries: Queries,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, AlertSettings>> => {
  const rows = await queries.allFrom<SettingsRow>(
    { columns: { team_id: 'text' }, rows: teamIds.map((teamId) => [teamId]) },
    `select team_id as "teamId", settings from event_alert_settings where team_id in (select team_id from rows)`,
  );
  return new Map(rows.map(({ teamId, settings }) => [teamId, toSettings(settings)]));
};

export const putSettings = (tx: Transaction, teamId: string, settings: AlertSettings): Promise<number> =>
  tx.run(
    `insert into event_alert_settings (team_id, settings) values ($1, $2)
      on conflict (team_id) do update set settings = excluded.settings`,
    [teamId, JSON.stringify(settings)],
  );

/** Locks a team's alerts, so that only one transaction at a time opens, resolves, or sends them. */
export const lockAlerts = async (tx: Transaction, teamId: string): Promise<void> => {
  await tx.run(
    `insert into event_alert_teams (team_id) values ($1)
      on conflict (team_id) do update set left_out = event_alert_teams.left_out`,
    [teamId],
  );
};

type TeamAlerts = { dueAt: number | null; toldAt: number | null; leftOut: number };

const getTeamAlerts = (tx: Transaction, teamId: string): Promise<TeamAlerts | undefined> =>
  tx.get<TeamAlerts>(
    `select due_at as "dueAt", told_at as "toldAt", left_out as "leftOut" from event_alert_teams where team_id = $1`,
    [teamId],
  );

/** Schedules the team's next notice. Call `lockAlerts` first. */
export const putDue = async (tx: Transaction, teamId: string, now: number, leftOut = 0): Promise<void> => {
  const row = await getTeamAlerts(tx, teamId);
  const dueAt = dueAtOf(now, row?.toldAt ?? null);
  await tx.run(
    `update event_alert_teams set due_at = case when due_at is null or due_at > $2 then $2 else due_at end,
      left_out = left_out + $3 where team_id = $1`,
    [teamId, dueAt, leftOut],
  );
};

/** The teams whose notice is due. Includes times too far in the future, which only a wrong clock can have written. */
export const listDueTeams = async (queries: Queries, now: number, limit: number): Promise<string[]> => {
  const rows = await queries.all<{ teamId: string }>(
    `select team_id as "teamId" from event_alert_teams where due_at <= $1 or due_at > $2 order by due_at limit $3`,
    [now, now + LEAST_APART_MS, limit],
  );
  return rows.map(({ teamId }) => teamId);
};

/** Moves a team behind all others that are due. */
export const postpone = async (queries: Queries, teamId: string, now: number): Promise<void> => {
  await queries.run('update event_alert_teams set due_at = $2 where team_id = $1 and due_at is not null', [
    teamId,
    now,
  ]);
};

/** Takes a team's due notice. Undefined if another process has already taken it. Call `lockAlerts` first. */
export const takeDue = async (
  tx: Transaction,
  teamId: string,
  now: number,
): Promise<{ leftOut: number } | undefined> => {
  const row = await getTeamAlerts(tx, teamId);
  if (!row || row.dueAt === null || (row.dueAt > now && row.dueAt <= now + LEAST_APART_MS)) return undefined;
  await tx.run('update event_alert_teams set due_at = null, left_out = 0 where team_id = $1', [teamId]);
  return { leftOut: row.leftOut };
};

export const putTold = (tx: Transaction, teamId: string, now: number): Promise<number> =>
  tx.run('update event_alert_teams set told_at = $2 where team_id = $1', [teamId, now]);

export const deleteTeamAlerting = async (queries: Queries, teamId: string): Promise<void> => {
  await queries.run('delete from event_alert_teams where team_id = $1', [teamId]);
  await queries.run('delete from event_alert_settings where team_id = $1', [teamId]);
};
