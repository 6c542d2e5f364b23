import type { Caller, Role } from '../../http/index.ts';
import { deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';
import { ALERT_KINDS, type Alert, type AlertKind, type Former, kindsFor, type Resolution } from './alert.ts';

/** SQL: an open alert. Names the kinds, so that the index of open alerts is used: it begins with the kind. */
const openOf = (kinds: readonly AlertKind[]): string =>
  `kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}) and resolved_at is null`;

/** SQL: open alerts that a person sees. */
const shownTo = (role: Role): string => `${openOf(kindsFor(role))} and dismissed_at is null`;

/** Who reads alerts, and of which team. */
export type Reader = Pick<Caller, 'teamId' | 'role'>;

export type Cause = Pick<Alert, 'teamId' | 'kind' | 'subject'>;

/** The open alerts about any of these subjects. */
export const listOpenAbout = (
  queries: Queries,
  subjects: readonly Pick<Alert, 'teamId' | 'subject'>[],
): Promise<Cause[]> =>
  queries.allFrom<Cause>(
    {
      columns: { team_id: 'text', subject: 'text' },
      rows: subjects.map(({ teamId, subject }) => [teamId, subject]),
    },
    `select a.team_id as "teamId", a.kind as kind, a.subject as subject from event_alerts a
      join (select distinct team_id, subject from rows) r on r.team_id = a.team_id and r.subject = a.subject
      where ${openOf(ALERT_KINDS)}`,
  );

/** The most open alerts about calls per team. Any more aren't stored, and a notice only says how many there were. */
export const MOST_OPEN = 1_000;

/** An open alert about a call. Such an alert is never resolved, only deleted. */
const OPEN_CALL = "kind in ('voicemail', 'missed') and resolved_at is null";

/** The calls of a team that have open alerts. */
export const listOpenCalls = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ subject: string }>(
    `select distinct subject from event_alerts where team_id = $1 and ${OPEN_CALL} limit ${MOST_OPEN}`,
    [teamId],
  );
  return rows.map(({ subject }) => subject);
};

type NewAlert = Pick<Alert, 'id' | 'teamId' | 'kind' | 'subject' | 'openedAt'> & { tellAt: number | null };

/**
 * How often an alert about this cause was resolved after `since`, and when last. Includes only alerts that people were
 * told about, because others are deleted when they are resolved.
 */
export const getFormer = async (tx: Transaction, { teamId, kind, subject }: Cause, since: number): Promise<Former> => {
  const row = await tx.get<Former>(
    `select count(*) as count, max(resolved_at) as "endedAt" from event_alerts
      where team_id = $1 and subject = $2 and kind = $3 and resolved_at is not null and resolved_at > $4`,
    [teamId, subject, kind, since],
  );
  return { count: Number(row?.count ?? 0), endedAt: row?.endedAt ?? null };
};

/**
 * Opens an alert about an event. An alert to reconnect also gets the event's sealed data. An alert about a call
 * doesn't. Returns 0 if the alert is open already.
 */
export const openFromEvent = (
  tx: Transaction,
  { id, teamId, kind, subject, openedAt, tellAt }: NewAlert,
  eventId: string,
): Promise<number> =>
  tx.run(
    `insert into event_alerts (id, team_id, kind, subject, event_id, text, opened_at, tell_at)
      select $1, $2, $3, $4, e.id, case when $3 = 'reconnect' then e.data end, cast($5 as bigint), cast($7 as bigint)
        from events e where e.id = $6 and e.data is not null
      on conflict do nothing`,
    [id, teamId, kind, subject, openedAt, eventId, tellAt],
  );

/**
 * Opens an alert about an endpoint or a backup. For an endpoint, `text` is its sealed URL. Returns 0 if such an alert
 * is open already.
 */
export const openWithText = (
  tx: Transaction,
  { id, teamId, kind, subject, openedAt, tellAt, text, reason }: NewAlert & { text: string; reason: string },
): Promise<number> =>
  tx.run(
    `insert into event_alerts (id, team_id, kind, subject, opened_at, text, reason, tell_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [id, teamId, kind, subject, openedAt, text, reason, tellAt],
  );

/**
 * Alerts are due if they were held until `now` or earlier. Those held until after `far` are due, too: only a clock that
 * was wrong can have written such a time.
 */
type Due = { now: number; far: number };

export const listTeamsHeldUntil = async (queries: Queries, { now, far }: Due, limit: number): Promise<string[]> => {
  const rows = await queries.all<{ teamId: string }>(
    `select distinct team_id as "teamId" from event_alerts
      where tell_at is not null and (tell_at <= $1 or tell_at > $2) order by team_id limit $3`,
    [now, far, limit],
  );
  return rows.map(({ teamId }) => teamId);
};

export const releaseHeldUntil = (tx: Transaction, teamId: string, { now, far }: Due): Promise<number> =>
  tx.run(
    `update event_alerts set tell_at = null
      where team_id = $1 and tell_at is not null and (tell_at <= $2 or tell_at > $3)`,
    [teamId, now, far],
  );

const OPEN = 'team_id = $1 and kind = $2 and subject = $3 and resolved_at is null';

/** Resolves an open alert, or deletes it if people weren't told about it. Returns how many were resolved. */
export const resolveAlert = async (
  tx: Transaction,
  { teamId, kind, subject }: Cause,
  { as, at }: { as: Resolution; at: number },
): Promise<number> => {
  await tx.run(`delete from event_alerts where ${OPEN} and told_in is null`, [teamId, kind, subject]);
  return tx.run(`update event_alerts set resolved_at = $4, resolution = $5 where ${OPEN}`, [
    ...[teamId, kind, subject],
    ...[at, as],
  ]);
};

export const forgetAlert = (tx: Transaction, { teamId, kind, subject }: Cause): Promise<number> =>
  tx.run(`delete from event_alerts where ${OPEN}`, [teamId, kind, subject]);

export const deleteCallAlerts = (tx: Transaction, teamId: string, callIds: readonly string[]): Promise<number> =>
  tx.runFrom(
    { columns: { team_id: 'text', subject: 'text' }, rows: callIds.map((id) => [teamId, id]) },
    `delete from event_alerts where id in (select a.id from rows
      join event_alerts a on a.team_id = rows.team_id and a.subject = rows.subject where ${OPEN_CALL})`,
  );

/**
 * Dismisses an alert and returns what it's about. Undefined if there is no such alert. Dismissing it again has no effect.
 */
export const markDismissed = (
  tx: Transaction,
  teamId: string,
  id: string,
  now: number,
): Promise<{ kind: AlertKind; subject: string } | undefined> =>
  tx.get(
    `update event_alerts set dismissed_at = $3
      where team_id = $1 and id = $2 and resolved_at is null and dismissed_at is null returning kind, subject`,
    [teamId, id, now],
  );

/** Deletes open alerts of a kind without telling anyone. */
export const forgetAlertsOfKind = (tx: Transaction, teamId: string, kind: AlertKind): Promise<number> =>
  tx.run('delete from event_alerts where team_id = $1 and kind = $2 and resolved_at is null', [teamId, kind]);

const countUpTo = async (queries: Queries, teamId: string, condition: string, most: number): Promise<number> => {
  const found = `select 1 from event_alerts where team_id = $1 and ${condition} limit $2`;
  const row = await queries.get<{ n: number }>(`select count(*) as n from (${found}) bounded`, [teamId, most]);
  return Number(row?.n ?? 0);
};

/** Counts at most `most` alerts. */
export const countOpenAlerts = (queries: Queries, { teamId, role }: Reader, most: number): Promise<number> =>
  countUpTo(queries, teamId, shownTo(role), most);

/** Counts at most `MOST_OPEN` alerts. */
export const countOpenCallAlerts = (queries: Queries, teamId: string): Promise<number> =>
  countUpTo(queries, teamId, OPEN_CALL, MOST_OPEN);

export const SELECTED = `id, team_id as "teamId", kind, subject, event_id as "eventId", text, reason, opened_at as "openedAt",
  resolved_at as "resolvedAt", resolution`;

/** The newest open alerts, without dismissed ones. */
export const listOpenAlerts = (queries: Queries, { teamId, role }: Reader, limit: number): Promise<Alert[]> =>
  queries.all<Alert>(
    `select ${SELECTED} from event_alerts where team_id = $1 and ${shownTo(role)}
      order by opened_at desc, id desc limit $2`,
    [teamId, limit],
  );

type EndpointAlert = { teamId: string; subject: string; hasEnded: number };

/** A page of open alerts about endpoints. `hasEnded`: the endpoint has been turned on again or deleted. */
export const listEndpointAlerts = (queries: Queries, afterSubject: string, limit: number): Promise<EndpointAlert[]> =>
  queries.all<EndpointAlert>(
    `select a.team_id as "teamId", a.subject as subject,
        case when e.id is null or e.inactive_reason is null then 1 else 0 end as "hasEnded"
      from (select team_id, subject from event_alerts
        where kind = 'endpoint' and resolved_at is null and subject > $1 order by subject limit $2) a
      left join event_endpoints e on e.id = a.subject order by a.subject`,
    [afterSubject, limit],
  );

/** How an alert about an endpoint is resolved. Null if the endpoint is still off. Call `lockAlerts` first. */
export const findEndpointResolution = async (
  tx: Transaction,
  teamId: string,
  endpointId: string,
): Promise<Resolution | null> => {
  const endpoint = await tx.get<{ reason: string | null }>(
    'select inactive_reason as reason from event_endpoints where team_id = $1 and id = $2',
    [teamId, endpointId],
  );
  if (!endpoint) return 'deleted';
  return endpoint.reason === null ? 'reactivated' : null;
};

export const deleteResolvedBefore = (queries: Queries, at: number): Promise<number> =>
  deleteInPieces(queries, { from: 'event_alerts', key: 'id', where: 'resolved_at is not null and resolved_at < $1' }, [
    at,
  ]);

/** Deletes alerts about calls that nobody has returned for a long time. */
export const deleteCallAlertsBefore = (queries: Queries, at: number): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'event_alerts', key: 'id', where: "kind in ('voicemail', 'missed') and opened_at < $1" },
    [at],
  );

export const deleteAlertsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'event_alerts', key: 'id', where: 'team_id = $1' }, [teamId], pace);
