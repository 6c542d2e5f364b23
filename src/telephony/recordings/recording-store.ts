import type { Queries, Transaction } from '../../platform/index.ts';
import type { RecordingTold } from './recording.ts';

/** A recording as it is stored. `mediaUrl` is sealed. */
export type RecordingRow = RecordingTold & {
  id: string;
  teamId: string;
  accountId: string;
  provider: string;
  externalId: string;
  problem: string | null;
  fetchedFrom: string | null;
  contentType: string | null;
  bytes: number | null;
  sha256: string | null;
  sealed: number | null;
  archivedAt: number | null;
  removedAt: number | null;
  removedAtProviderAt: number | null;
  createdAt: number;
};

export const SELECTED_RECORDING = `id, team_id as "teamId", account_id as "accountId", provider, external_id as "externalId",
  call_key as "callKey", told_status as "toldStatus", state, media_url as "mediaUrl",
  media_expires_at as "mediaExpiresAt", started_at as "startedAt", duration_ms as "durationMs", channels, source,
  error_code as "errorCode", problem, fetched_from as "fetchedFrom", content_type as "contentType", bytes, sha256, sealed,
  archived_at as "archivedAt", removed_at as "removedAt", removed_at_provider_at as "removedAtProviderAt",
  created_at as "createdAt"`;

export const getRecording = (queries: Queries, teamId: string, id: string): Promise<RecordingRow | undefined> =>
  queries.get<RecordingRow>(`select ${SELECTED_RECORDING} from recordings where team_id = $1 and id = $2`, [
    teamId,
    id,
  ]);

export const listRecordingsOfCall = (
  queries: Queries,
  teamId: string,
  { accountId, externalId }: { accountId: string; externalId: string },
): Promise<RecordingRow[]> =>
  queries.all<RecordingRow>(
    `select ${SELECTED_RECORDING} from recordings where team_id = $1 and account_id = $2 and call_key = $3
      order by created_at, id limit 100`,
    [teamId, accountId, externalId],
  );

type OfCall = { id: string; teamId: string; accountId: string; externalId: string };

/** Finds each call's newest archived recording. The keys of the result are the ids of the calls. */
export const listNewestArchived = async (
  queries: Queries,
  calls: readonly OfCall[],
): Promise<Map<string, Pick<RecordingRow, 'id' | 'durationMs'>>> => {
  if (calls.length === 0) return new Map();
  const rows = await queries.allFrom<Pick<RecordingRow, 'id' | 'durationMs'> & { callId: string }>(
    {
      columns: { team_id: 'text', account_id: 'text', call_key: 'text', call_id: 'text' },
      rows: calls.map(({ id, teamId, accountId, externalId }) => [teamId, accountId, externalId, id]),
    },
    `select rows.call_id as "callId", r.id, r.duration_ms as "durationMs" from rows join recordings r on r.id = (
      select n.id from recordings n where n.team_id = rows.team_id and n.account_id = rows.account_id
        and n.call_key = rows.call_key and n.state = 'archived' order by n.archived_at desc limit 1)`,
  );
  return new Map(rows.map(({ callId, ...recording }) => [callId, recording]));
};

type Archived = Pick<RecordingRow, 'fetchedFrom' | 'contentType' | 'bytes' | 'sha256'> & {
  sealed: boolean;
  /** Whether the URL is needed again, to delete the recording at the provider. */
  keepsAddress: boolean;
  now: number;
};

/** Marks a recording as archived. The URL is removed as soon as it's no longer needed. */
export const markArchived = (queries: Queries, teamId: string, id: string, archived: Archived): Promise<number> =>
  queries.run(
    `update recordings set state = 'archived', problem = null, media_url = case when $9 = 1 then media_url else null end,
      fetched_from = $3, content_type = $4, bytes = $5, sha256 = $6, sealed = $7, archived_at = $8
      where team_id = $1 and id = $2 and state = 'waiting'`,
    [
      ...[teamId, id, archived.fetchedFrom, archived.contentType, archived.bytes, archived.sha256],
      ...[archived.sealed ? 1 : 0, archived.now, archived.keepsAddress ? 1 : 0],
    ],
  );

/** Counts the team's recordings that are still to be fetched, up to a limit. */
export const countWaiting = async (queries: Queries, teamId: string, most: number): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(*) as n from (select 1 from recordings where team_id = $1 and state = 'waiting' limit $2) as waiting`,
    [teamId, most],
  );
  return row?.n ?? 0;
};

export const setRecordingProblem = (
  queries: Queries,
  teamId: string,
  id: string,
  { problem, final }: { problem: string; final: boolean },
): Promise<number> =>
  queries.run(`update recordings set problem = $3, state = $4 where team_id = $1 and id = $2 and state = 'waiting'`, [
    teamId,
    id,
    problem,
    final ? 'failed' : 'waiting',
  ]);

export const markRemovedAtProvider = (queries: Queries, teamId: string, id: string, now: number): Promise<number> =>
  queries.run('update recordings set removed_at_provider_at = $3, media_url = null where team_id = $1 and id = $2', [
    teamId,
    id,
    now,
  ]);

export const markRemoved = (queries: Queries, teamId: string, id: string, now: number): Promise<number> =>
  queries.run(
    `update recordings set state = 'removed', removed_at = $3, media_url = null
      where team_id = $1 and id = $2 and state <> 'removed'`,
    [teamId, id, now],
  );

export const listArchivedBefore = (queries: Queries, teamId: string, before: number, limit: number) =>
  queries.all<RecordingRow>(
    `select ${SELECTED_RECORDING} from recordings where team_id = $1 and state = 'archived' and archived_at < $2
      order by archived_at limit $3`,
    [teamId, before, limit],
  );

/** Returns the newest archived recording in all teams. */
export const getNewestArchived = (queries: Queries) =>
  queries.get<{ id: string; teamId: string; bytes: number; sealed: number | null }>(
    `select id, team_id as "teamId", bytes, sealed from recordings
      where state = 'archived' and bytes is not null order by id desc limit 1`,
  );

/** Lists archived recordings, in all teams, in the order of their ids. */
export const listArchivedAfter = (queries: Queries, after: string, limit: number) =>
  queries.all<{ id: string; teamId: string; bytes: number; sealed: number | null }>(
    `select id, team_id as "teamId", bytes, sealed from recordings
      where id > $1 and state = 'archived' and bytes is not null order by id limit $2`,
    [after, limit],
  );

const BEING_ERASED = 'This recording is being erased.';

const toTable = (recordings: readonly { id: string; teamId: string }[]) => ({
  columns: { team_id: 'text', id: 'text' } as const,
  rows: recordings.map(({ teamId, id }) => [teamId, id]),
});

const OF_TABLE = `id in (
  select known.id from rows join recordings known on known.id = rows.id and known.team_id = rows.team_id)`;

/**
 * Marks recordings before their audio is removed. From then on none of them is archived, whatever deliveries still
 * report. A process that is storing such audio right now removes it again.
 */
export const markBeingErased = (queries: Queries, recordings: readonly { id: string; teamId: string }[]) =>
  queries.runFrom(
    toTable(recordings),
    `update recordings set problem = '${BEING_ERASED}', told_status = 'available',
      state = case when state in ('archived', 'removed') then state else 'failed' end where ${OF_TABLE}`,
  );

export const isErasedRecording = (recording: RecordingRow | undefined): boolean =>
  recording === undefined || recording.problem === BEING_ERASED;

/**
 * Locks a recording, and returns false if it's gone, removed, or being erased. While it's locked, nobody can erase it, so
 * what is stored about it now is erased with it.
 */
export const lockUnerased = async (tx: Transaction, teamId: string, id: string): Promise<boolean> =>
  (await tx.get(
    `select id from recordings where team_id = $1 and id = $2 and state <> 'removed' and coalesce(problem, '') <> $3
      for no key update`,
    [teamId, id, BEING_ERASED],
  )) !== undefined;

/** Lists a team's recordings, in any state, oldest first. */
export const listRecordingsOfTeam = (
  queries: Queries,
  teamId: string,
  limit: number,
): Promise<Pick<RecordingRow, 'id' | 'teamId' | 'state'>[]> =>
  queries.all('select id, team_id as "teamId", state from recordings where team_id = $1 order by created_at limit $2', [
    teamId,
    limit,
  ]);

/** Deletes recordings. Returns how many bytes of archived audio they had. */
export const deleteRecordings = async (
  queries: Queries,
  recordings: readonly { id: string; teamId: string }[],
): Promise<number> => {
  const deleted = await queries.allFrom<Pick<RecordingRow, 'state' | 'bytes'>>(
    toTable(recordings),
    `delete from recordings where ${OF_TABLE} returning state, bytes`,
  );
  return deleted.reduce((sum, { state, bytes }) => sum + (state === 'archived' ? (bytes ?? 0) : 0), 0);
};

export const countArchived = async (queries: Queries, teamId: string, accountId: string): Promise<number> => {
  const row = await queries.get<{ count: number }>(
    `select count(*) as count from recordings where team_id = $1 and account_id = $2 and state = 'archived'`,
    [teamId, accountId],
  );
  return Number(row?.count ?? 0);
};

/** Finds the call that a recording belongs to. Returns null if it's unknown. */
export const findCallOfRecording = async (
  queries: Queries,
  { teamId, accountId, callKey }: Pick<RecordingRow, 'teamId' | 'accountId' | 'callKey'>,
): Promise<string | null> => {
  if (callKey === null) return null;
  const row = await queries.get<{ id: string }>(
    'select id from calls where team_id = $1 and account_id = $2 and external_id = $3',
    [teamId, accountId, callKey],
  );
  return row?.id ?? null;
};
