import type { Queries } from '../../platform/index.ts';
import type { TranscriptSource, TranscriptState } from './transcript.ts';

/** A transcript as it is stored. `content` is sealed. */
export type TranscriptRow = {
  recordingId: string;
  teamId: string;
  state: TranscriptState;
  source: TranscriptSource;
  content: string | null;
  language: string | null;
  problem: string | null;
  settledAt: number | null;
  createdAt: number;
};

type Name = Pick<TranscriptRow, 'teamId' | 'recordingId'>;

const columnsOf = (prefix: string): string =>
  `${prefix}recording_id as "recordingId", ${prefix}team_id as "teamId", ${prefix}state, ${prefix}source,
  ${prefix}content, ${prefix}language, ${prefix}problem, ${prefix}settled_at as "settledAt",
  ${prefix}created_at as "createdAt"`;

export const getTranscript = (queries: Queries, { teamId, recordingId }: Name): Promise<TranscriptRow | undefined> =>
  queries.get<TranscriptRow>(`select ${columnsOf('')} from transcripts where team_id = $1 and recording_id = $2`, [
    teamId,
    recordingId,
  ]);

/** Lists the transcripts of these recordings, by recording. */
export const listTranscriptsOf = async (
  queries: Queries,
  teamId: string,
  recordingIds: readonly string[],
): Promise<Map<string, TranscriptRow>> => {
  if (recordingIds.length === 0) return new Map();
  const rows = await queries.allFrom<TranscriptRow>(
    { columns: { team_id: 'text', id: 'text' }, rows: recordingIds.map((id) => [teamId, id]) },
    `select ${columnsOf('t.')} from rows join transcripts t on t.recording_id = rows.id and t.team_id = rows.team_id`,
  );
  return new Map(rows.map((row) => [row.recordingId, row]));
};

type OfCall = { id: string; teamId: string; accountId: string; externalId: string };

/** Lists the transcripts of these calls that are ready, by call, oldest recording first. */
export const listTranscriptsOfCalls = async (
  queries: Queries,
  calls: readonly OfCall[],
): Promise<Map<string, TranscriptRow[]>> => {
  if (calls.length === 0) return new Map();
  const rows = await queries.allFrom<TranscriptRow & { callId: string }>(
    {
      columns: { team_id: 'text', account_id: 'text', call_key: 'text', call_id: 'text' },
      rows: calls.map(({ id, teamId, accountId, externalId }) => [teamId, accountId, externalId, id]),
    },
    `select rows.call_id as "callId", ${columnsOf('t.')} from rows
      join recordings r on r.team_id = rows.team_id and r.account_id = rows.account_id and r.call_key = rows.call_key
      join transcripts t on t.recording_id = r.id and t.team_id = r.team_id
      where t.state = 'ready' order by r.created_at, r.id`,
  );
  return Map.groupBy(rows, ({ callId }) => callId);
};

/** Finds the calls of these transcripts, by their own IDs. */
export const listTranscribedCalls = (
  queries: Queries,
  teamId: string,
  callIds: readonly string[],
): Promise<OfCall[]> =>
  callIds.length === 0
    ? Promise.resolve([])
    : queries.allFrom<OfCall>(
        { columns: { team_id: 'text', id: 'text' }, rows: callIds.map((id) => [teamId, id]) },
        `select c.id, c.team_id as "teamId", c.account_id as "accountId", c.external_id as "externalId"
          from rows join calls c on c.id = rows.id and c.team_id = rows.team_id`,
      );

/** Whether the team has any transcript, so that a search needn't look for them if there is none. */
export const hasTranscripts = async (queries: Queries, teamId: string): Promise<boolean> =>
  (await queries.get('select 1 as one from transcripts where team_id = $1 limit 1', [teamId])) !== undefined;

type Begun = Name & Pick<TranscriptRow, 'source'> & { now: number; content?: string };

/**
 * Notes that a transcript is being made. Returns 0 if the recording has one already, in any state. `content`: where the
 * provider has it.
 */
export const insertWaitingTranscript = (
  queries: Queries,
  { teamId, recordingId, source, now, content }: Begun,
): Promise<number> =>
  queries.run(
    `insert into transcripts (recording_id, team_id, state, source, content, created_at)
      values ($1, $2, 'waiting', $3, $5, $4) on conflict do nothing`,
    [recordingId, teamId, source, now, content ?? null],
  );

export type SettledTranscript = Name &
  Pick<TranscriptRow, 'source' | 'content' | 'language' | 'problem'> & { state: 'ready' | 'failed'; now: number };

/** Stores how a transcript ended. One that is ready stays, and a failure doesn't replace another. Returns 0 then. */
export const settleTranscript = (queries: Queries, settled: SettledTranscript): Promise<number> =>
  queries.run(
    `insert into transcripts (recording_id, team_id, state, source, content, language, problem, settled_at, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
      on conflict (recording_id) do update set state = excluded.state, source = excluded.source,
        content = excluded.content, language = excluded.language, problem = excluded.problem,
        settled_at = excluded.settled_at
      where transcripts.team_id = excluded.team_id and transcripts.state <> 'ready'
        and (excluded.state = 'ready' or transcripts.state = 'waiting')`,
    [
      ...[settled.recordingId, settled.teamId, settled.state, settled.source, settled.content, settled.language],
      ...[settled.problem, settled.now],
    ],
  );

/** Counts the team's transcripts that are being made, up to a limit. */
export const countWaitingTranscripts = async (queries: Queries, teamId: string, most: number): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(*) as n from (
      select 1 from transcripts where team_id = $1 and state = 'waiting' limit $2) as waiting`,
    [teamId, most],
  );
  return Number(row?.n ?? 0);
};

/** Notes why a transcript isn't there yet. It's still being made. */
export const noteTranscriptProblem = (
  queries: Queries,
  { teamId, recordingId }: Name,
  problem: string,
): Promise<number> =>
  queries.run(`update transcripts set problem = $3 where team_id = $1 and recording_id = $2 and state = 'waiting'`, [
    teamId,
    recordingId,
    problem,
  ]);

const NEVER_CAME = 'The transcript never came.';

/** Ends transcripts, in all teams, that have waited since before this time, because their jobs are gone. */
export const failTranscriptsBefore = (queries: Queries, before: number, now: number): Promise<number> =>
  queries.run(
    `update transcripts set state = 'failed', content = null, problem = '${NEVER_CAME}', settled_at = $2
      where state = 'waiting' and created_at < $1`,
    [before, now],
  );

export const deleteTranscript = (queries: Queries, { teamId, recordingId }: Name): Promise<number> =>
  queries.run('delete from transcripts where team_id = $1 and recording_id = $2', [teamId, recordingId]);

/**
 * Lists old transcripts of recordings that were never archived, such as when the provider reported only the transcript.
 */
export const listStrayTranscripts = (
  queries: Queries,
  teamId: string,
  before: number,
  limit: number,
): Promise<Name[]> =>
  queries.all<Name>(
    `select t.team_id as "teamId", t.recording_id as "recordingId" from transcripts t
      join recordings r on r.id = t.recording_id and r.team_id = t.team_id
      where t.team_id = $1 and t.created_at < $2 and r.state <> 'archived' limit $3`,
    [teamId, before, limit],
  );
