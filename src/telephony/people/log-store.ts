import { defineRow, deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';

/**
 * What became of a call in a CRM's log. `waiting`: an entry has to be made, or changed. `sending`: it was sent, and it's not
 * known whether it arrived. `unclear`: the same, and the CRM can't say. `refused`: the CRM refused it.
 */
export type CallLogState = 'waiting' | 'sending' | 'logged' | 'refused' | 'unclear';

export type CallLogRow = {
  callId: string;
  connectionId: string;
  teamId: string;
  position: number;
  state: CallLogState;
  /** The ID of the entry at the CRM. Null as long as none is known. */
  entryId: string | null;
  /** How often an entry was sent. */
  attempts: number;
  sentAt: number | null;
  dueAt: number | null;
  problem: string | null;
  changedAt: number;
};

const COLUMNS = `l.call_id as "callId", l.connection_id as "connectionId", l.team_id as "teamId", l.position as position,
  l.state as state, l.entry_id as "entryId", l.attempts as attempts, l.sent_at as "sentAt", l.due_at as "dueAt",
  l.problem as problem, l.changed_at as "changedAt"`;

/** A call that ended, and a connection whose CRM logs it. */
export type EndedCall = {
  teamId: string;
  callId: string;
  connectionId: string;
  position: number;
  /** 1 if simulated calls are logged there, too. */
  takesDemo: number;
};

const ENDED = defineRow<keyof EndedCall | 'now'>({
  teamId: 'text',
  callId: 'text',
  connectionId: 'text',
  position: 'bigint',
  takesDemo: 'bigint',
  now: 'bigint',
});

/** SQL: what is logged is to be changed, and what is being sent is to be changed afterward. */
const OUTDATE = `is_stale = case when call_logs.state in ('waiting', 'sending') then 1 else 0 end,
  due_at = case when call_logs.state = 'logged' then excluded.due_at else call_logs.due_at end,
  changed_at = case when call_logs.state = 'logged' then excluded.changed_at else call_logs.changed_at end,
  state = case when call_logs.state = 'logged' then 'waiting' else call_logs.state end`;

/** Makes calls wait to be logged. One that is logged already is changed. Simulated calls are logged only where that's wanted. */
export const putEndedCalls = (tx: Transaction, calls: readonly EndedCall[], now: number): Promise<number> =>
  calls.length === 0
    ? Promise.resolve(0)
    : tx.runFrom(
        ENDED.toTable(calls.map((call) => ({ ...call, now }))),
        `insert into call_logs (call_id, connection_id, team_id, position, state, due_at, changed_at)
          select c.id, rows.connection_id, c.team_id, min(rows.position), 'waiting', max(rows.now), max(rows.now)
            from rows join calls c on c.id = rows.call_id and c.team_id = rows.team_id
            join telephony_accounts a on a.id = c.account_id
            where a.simulated = 0 or rows.takes_demo = 1 group by c.id, rows.connection_id, c.team_id
          on conflict (call_id, connection_id) do update set ${OUTDATE}`,
      );

const CHANGED = defineRow({ teamId: 'text', recordingId: 'text', now: 'bigint' });

/** Makes the entries of calls be changed, because a recording is ready. Only entries that there are. */
export const outdateLogsOfRecordings = (
  tx: Transaction,
  recordings: readonly { teamId: string; recordingId: string }[],
  now: number,
): Promise<number> =>
  recordings.length === 0
    ? Promise.resolve(0)
    : tx.runFrom(
        CHANGED.toTable(recordings.map((recording) => ({ ...recording, now }))),
        `insert into call_logs (call_id, connection_id, team_id, position, state, due_at, changed_at)
          select l.call_id, l.connection_id, l.team_id, l.position, l.state, max(rows.now), max(rows.now)
            from rows join recordings r on r.id = rows.recording_id and r.team_id = rows.team_id
            join calls c on c.team_id = r.team_id and c.account_id = r.account_id and c.external_id = r.call_key
            join call_logs l on l.call_id = c.id and l.team_id = c.team_id
            where true group by l.call_id, l.connection_id, l.team_id, l.position, l.state
          on conflict (call_id, connection_id) do update set ${OUTDATE}`,
      );

/** Lists the connections with which a call is due to be logged. */
export const listDueLogs = (queries: Queries, now: number): Promise<Pick<CallLogRow, 'teamId' | 'connectionId'>[]> =>
  queries.all(
    `select distinct team_id as "teamId", connection_id as "connectionId" from call_logs
      where due_at is not null and due_at <= $1 order by connection_id`,
    [now],
  );

/**
 * The call that is next with a connection. Calls without an entry are in order, so one that isn't due yet holds up those
 * after it. Null if nothing can be done now.
 */
export const getNextLog = async (
  queries: Queries,
  { teamId, connectionId }: Pick<CallLogRow, 'teamId' | 'connectionId'>,
  now: number,
): Promise<CallLogRow | null> => {
  const next = await queries.get<CallLogRow>(
    `select ${COLUMNS} from call_logs l where l.team_id = $1 and l.connection_id = $2 and l.due_at is not null
      and (l.entry_id is null or l.due_at <= $3) order by l.position, l.call_id limit 1`,
    [teamId, connectionId, now],
  );
  return next && (next.dueAt ?? 0) <= now ? next : null;
};

type Key = Pick<CallLogRow, 'teamId' | 'callId' | 'connectionId'>;
const IS_KEY = 'team_id = $1 and call_id = $2 and connection_id = $3';
const valuesOf = ({ teamId, callId, connectionId }: Key) => [teamId, callId, connectionId];

/** Writes that an entry is about to be sent. Returns 0 if the call was erased or logged meanwhile. */
export const markSending = (
  queries: Queries,
  key: Key,
  { now, dueAt }: { now: number; dueAt: number },
): Promise<number> =>
  queries.run(
    `update call_logs set state = 'sending', sent_at = $4, due_at = $5, is_stale = 0, attempts = attempts + 1,
      problem = null, changed_at = $4 where ${IS_KEY} and state = 'waiting' and entry_id is null`,
    [...valuesOf(key), now, dueAt],
  );

/** Writes that an entry is about to be changed, which can be repeated. */
export const markChanging = (queries: Queries, key: Key): Promise<number> =>
  queries.run(`update call_logs set is_stale = 0 where ${IS_KEY} and state = 'waiting'`, valuesOf(key));

/** Writes that the CRM has an entry. If the call has changed since it was sent, the entry is due to be changed. */
export const markLogged = (queries: Queries, key: Key, entryId: string, now: number): Promise<number> =>
  queries.run(
    `update call_logs set entry_id = $4, problem = null, attempts = 0, changed_at = cast($5 as bigint),
      state = case when is_stale = 1 then 'waiting' else 'logged' end,
      due_at = case when is_stale = 1 then cast($5 as bigint) end
      where ${IS_KEY}`,
    [...valuesOf(key), entryId, now],
  );

/** Writes that a call waits, was refused, or is unclear. */
export const putLogState = (
  queries: Queries,
  key: Key,
  { state, dueAt, problem, now }: Pick<CallLogRow, 'state' | 'dueAt' | 'problem'> & { now: number },
): Promise<number> =>
  queries.run(`update call_logs set state = $4, due_at = $5, problem = $6, changed_at = $7 where ${IS_KEY}`, [
    ...valuesOf(key),
    state,
    dueAt,
    problem,
    now,
  ]);

/** Lists calls that aren't logged, oldest first, after a place. */
export const listUnlogged = (
  queries: Queries,
  { teamId, connectionId }: Pick<CallLogRow, 'teamId' | 'connectionId'>,
  { after, limit }: { after: string; limit: number },
): Promise<CallLogRow[]> =>
  queries.all<CallLogRow>(
    `select ${COLUMNS} from call_logs l where l.team_id = $1 and l.connection_id = $2 and l.call_id > $3
      and (l.state in ('refused', 'unclear', 'sending') or (l.state = 'waiting' and l.entry_id is null))
      order by l.call_id limit $4`,
    [teamId, connectionId, after, limit],
  );

/** Counts a connection's calls by state. */
export const countLogs = (
  queries: Queries,
  { teamId, connectionId }: Pick<CallLogRow, 'teamId' | 'connectionId'>,
): Promise<{ state: CallLogState; n: number }[]> =>
  queries.all('select state, count(*) as n from call_logs where team_id = $1 and connection_id = $2 group by state', [
    teamId,
    connectionId,
  ]);

/** Makes a call due again. What may have arrived is looked for first. Returns 0 if it's logged, or not known. */
export const retryLog = (queries: Queries, key: Key, now: number): Promise<number> =>
  queries.run(
    `update call_logs set due_at = $4, attempts = 0, changed_at = $4,
      state = case when entry_id is null and sent_at is not null then 'sending' else 'waiting' end
      where ${IS_KEY} and state <> 'logged'`,
    [...valuesOf(key), now],
  );

/**
 * For a copy of the service, such as a restored backup: the original may have sent what waits here, so it's looked for
 * first.
 */
export const setCallLogsApart = async (queries: Queries, now: number): Promise<void> => {
  await queries.run(
    `update call_logs set state = 'sending', sent_at = coalesce(sent_at, changed_at), due_at = $1
      where state = 'waiting' and entry_id is null`,
    [now],
  );
};

export const deleteLog = (queries: Queries, key: Key): Promise<number> =>
  queries.run(`delete from call_logs where ${IS_KEY}`, valuesOf(key));

/** Deletes what is known of calls, in the transaction that deletes them. */
export const deleteLogsOfCalls = (tx: Transaction, teamId: string, callIds: readonly string[]): Promise<number> =>
  tx.runFrom(
    defineRow({ teamId: 'text', callId: 'text' }).toTable(callIds.map((callId) => ({ teamId, callId }))),
    `delete from call_logs where call_id in (select call_id from rows)
      and team_id in (select team_id from rows)`,
  );

/** Deletes what is known of a connection's log, a few at a time. `all`: also of what is logged. */
export const deleteLogsOf = (
  queries: Queries,
  { teamId, connectionId }: Pick<CallLogRow, 'teamId' | 'connectionId'>,
  all: boolean,
): Promise<number> =>
  deleteInPieces(
    queries,
    {
      from: 'call_logs',
      key: 'call_id, connection_id',
      where: `team_id = $1 and connection_id = $2 ${all ? '' : "and state <> 'logged'"}`,
    },
    [teamId, connectionId],
  );

export const deleteLogsOfTeam = async (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<void> => {
  await queries.run('delete from call_log_turns where team_id = $1', [teamId]);
  await deleteInPieces(
    queries,
    { from: 'call_logs', key: 'call_id, connection_id', where: 'team_id = $1' },
    [teamId],
    pace,
  );
};
