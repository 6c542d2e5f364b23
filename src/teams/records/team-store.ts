import type { Queries, Transaction } from '../../platform/index.ts';
import type { Team, TeamSettings } from './team.ts';

/** How an outside identity provider identifies a team or a user. */
export type Outside = { issuer: string; subject: string };

type TeamRow = Pick<Team, 'id' | 'key' | 'name' | 'timeZone' | 'createdAt'> &
  Team['retention'] & {
    businessHours: string | null;
    reportRecipients: string | null;
    reportDay: Team['reportSchedule']['day'];
    reportHour: number;
  };

const COLUMNS = `id, key, name, time_zone as "timeZone", business_hours as "businessHours", report_recipients as "reportRecipients",
  report_day as "reportDay", report_hour as "reportHour", recording_days as "recordingDays", payload_days as "payloadDays", created_at as "createdAt"`;

/**
 * SQL: whether the team in this column is being erased. Such a team has no members anymore. Avoids `exists`: with it,
 * PostgreSQL expects almost no rows to match, and reads all members of a team for a single page.
 */
export const isBeingErased = (teamColumn: string): string =>
  `coalesce((select erased.erasing_at is not null from teams erased where erased.id = ${teamColumn}), false)`;

const parseJson = (text: string | null) => (text === null ? null : JSON.parse(text));
const printJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

const toTeam = ({ businessHours, reportRecipients, ...row }: TeamRow): Team => {
  const { reportDay, reportHour, recordingDays, payloadDays, ...team } = row;
  return {
    ...team,
    businessHours: parseJson(businessHours),
    reportRecipients: parseJson(reportRecipients),
    reportSchedule: { day: reportDay, hour: reportHour },
    retention: { recordingDays, payloadDays },
  };
};

const settingValues = ({ name, timeZone, businessHours, ...settings }: TeamSettings) => {
  const { reportRecipients, reportSchedule, retention } = settings;
  return [
    ...[name, timeZone, printJson(businessHours), printJson(reportRecipients)],
    ...[reportSchedule.day, reportSchedule.hour, retention.recordingDays, retention.payloadDays],
  ];
};

/** Inserts a team. Returns 0 if the identity provider's team or the key already exists. */
export const insertTeam = (queries: Queries, team: Team, outside: Outside | null): Promise<number> =>
  queries.run(
    `insert into teams (name, time_zone, business_hours, report_recipients, report_day, report_hour, recording_days, payload_days,
      id, key, issuer, subject, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`,
    [...settingValues(team), team.id, team.key, outside?.issuer ?? null, outside?.subject ?? null, team.createdAt],
  );

export const updateTeam = (queries: Queries, teamId: string, settings: TeamSettings): Promise<number> =>
  queries.run(
    `update teams set name = $1, time_zone = $2, business_hours = $3, report_recipients = $4, report_day = $5, report_hour = $6,
      recording_days = $7, payload_days = $8 where id = $9`,
    [...settingValues(settings), teamId],
  );

/** Undefined if the team doesn't exist or is being erased. */
export const getTeam = async (
  queries: Queries,
  teamId: string,
  lock: '' | 'for no key update' = '',
): Promise<Team | undefined> => {
  const row = await queries.get<TeamRow>(`select ${COLUMNS} from teams where id = $1 and erasing_at is null ${lock}`, [
    teamId,
  ]);
  return row && toTeam(row);
};

/**
 * Locks a team until the transaction ends. Returns false if there is no such team, or if it's being erased. Others can
 * still insert rows that refer to the team. If this used `for update`, they would wait: a sign-in that has locked its
 * user could deadlock with a transaction that has locked the team and waits for that user.
 */
export const lockTeam = async (tx: Transaction, teamId: string): Promise<boolean> =>
  (await tx.get('select id from teams where id = $1 and erasing_at is null for no key update', [teamId])) !== undefined;

/**
 * Takes a shared lock on these teams, so that no other transaction can lock them (`lockTeam`) until this one ends.
 * Several transactions can have a shared lock at the same time.
 */
export const shareTeams = (tx: Transaction, teamIds: readonly string[]): Promise<{ id: string }[]> =>
  tx.allFrom<{ id: string }>(
    { columns: { id: 'text' }, rows: teamIds.map((id) => [id]) },
    'select id from teams where id in (select id from rows) order by id for share',
  );

export const findOutsideTeam = (queries: Queries, { issuer, subject }: Outside): Promise<{ id: string } | undefined> =>
  queries.get<{ id: string }>('select id from teams where issuer = $1 and subject = $2 and erasing_at is null', [
    issuer,
    subject,
  ]);

/** How many teams were named by an identity provider other than this one, and an example of such an issuer. */
export const countTeamsOfOtherIssuers = async (
  queries: Queries,
  issuer: string | null,
): Promise<{ count: number; example: string | null }> => {
  const sql = `select count(*) as n, min(issuer) as example from teams
    where issuer is not null and issuer <> $1 and erasing_at is null`;
  const row = await queries.get<{ n: number; example: string | null }>(sql, [issuer ?? '']);
  return { count: row?.n ?? 0, example: row?.example ?? null };
};

/** Finds a team by its key, even one that is being erased, because its key isn't free yet. */
export const findTeamByKey = async (
  queries: Queries,
  key: string,
  lock: '' | 'for update' = '',
): Promise<(Team & { erasing: boolean }) | undefined> => {
  const row = await queries.get<TeamRow & { erasingAt: number | null }>(
    `select ${COLUMNS}, erasing_at as "erasingAt" from teams where key = $1 ${lock}`,
    [key],
  );
  if (!row) return undefined;
  const { erasingAt, ...team } = row;
  return { ...toTeam(team), erasing: erasingAt !== null };
};

/** SQL: each issuer that has named a team. Reads one index entry per issuer, however many teams there are. */
const ISSUERS = `recursive issuers (issuer) as (
  select min(issuer) from teams where issuer is not null
  union all select (select min(t.issuer) from teams t where t.issuer > i.issuer) from issuers i where i.issuer is not null)`;

/** Lists the teams that any identity provider knows by this name (`subject`) and that have no key yet. */
export const listUnkeyedTeams = (queries: Queries, subject: string): Promise<{ id: string; issuer: string }[]> =>
  queries.all(
    `with ${ISSUERS} select t.id, t.issuer from issuers i join teams t on t.issuer = i.issuer and t.subject = $1
      where t.key is null and t.erasing_at is null`,
    [subject],
  );

/** Uses the identity provider's name of the team as its key. */
export const putSubjectAsKey = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('update teams set key = subject where id = $1 and key is null', [teamId]);

/** Links the team whose key is `subject` to the identity provider. Returns 0 if there's none or it's linked already. */
export const putOutsideOnKeyedTeam = (queries: Queries, { issuer, subject }: Outside): Promise<number> =>
  queries.run('update teams set issuer = $1, subject = $2 where key = $2 and issuer is null and erasing_at is null', [
    issuer,
    subject,
  ]);

/** A page of teams with a key that aren't being erased, by ID. */
export const listKeyedTeamsAfter = async (queries: Queries, afterId: string, limit: number): Promise<Team[]> =>
  (
    await queries.all<TeamRow>(
      `select ${COLUMNS} from teams where key is not null and erasing_at is null and id > $1 order by id limit $2`,
      [afterId, limit],
    )
  ).map(toTeam);

/** For work that covers all teams: a page of retention settings, by ID, without teams that are being erased. */
export const listRetentionsAfter = (
  queries: Queries,
  afterId: string,
  limit: number,
): Promise<{ teamId: string; recordingDays: number | null; payloadDays: number }[]> =>
  queries.all(
    `select id as "teamId", recording_days as "recordingDays", payload_days as "payloadDays" from teams
      where id > $1 and erasing_at is null order by id limit $2`,
    [afterId, limit],
  );

/** A page of all teams that aren't being erased, by ID. */
export const listTeamsAfter = async (queries: Queries, afterId: string, limit: number): Promise<Team[]> =>
  (
    await queries.all<TeamRow>(
      `select ${COLUMNS} from teams where id > $1 and erasing_at is null order by id limit $2`,
      [afterId, limit],
    )
  ).map(toTeam);

/** How many teams come after this one, by ID. */
export const countTeamsAfter = async (queries: Queries, afterId: string): Promise<number> =>
  Number((await queries.get<{ n: number }>('select count(*) as n from teams where id > $1', [afterId]))?.n ?? 0);

/** The team that was created in the empty database. */
export const getFirstTeamId = async (queries: Queries): Promise<string | undefined> =>
  (await queries.get<{ id: string }>('select id from teams where is_first = 1'))?.id;

/** Marks the first team. A unique index makes sure that there is only one. */
export const markFirstTeam = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('update teams set is_first = 1 where id = $1', [teamId]);

/** The IDs of these teams in the operator's product. Teams without a key are left out. */
export const listTeamKeys = (queries: Queries, teamIds: readonly string[]): Promise<{ id: string; key: string }[]> =>
  queries.allFrom(
    { columns: { id: 'text' }, rows: teamIds.map((id) => [id]) },
    'select id, key from teams where id in (select id from rows) and key is not null',
  );
