import type { Queries } from '../../platform/index.ts';

export const getRecordingBytes = async (queries: Queries, teamId: string): Promise<number> => {
  const row = await queries.get<{ bytes: number }>('select bytes from telephony_recording_bytes where team_id = $1', [
    teamId,
  ]);
  return Number(row?.bytes ?? 0);
};

/** Counts a recording's bytes. Returns false, and counts nothing, if the sum would exceed `most`. */
export const takeRecordingBytes = async (
  queries: Queries,
  teamId: string,
  bytes: number,
  most: number,
): Promise<boolean> => {
  if (bytes > most) return false;
  const taken = await queries.run(
    `insert into telephony_recording_bytes (team_id, bytes) values ($1, $2)
      on conflict (team_id) do update set bytes = telephony_recording_bytes.bytes + excluded.bytes
      where telephony_recording_bytes.bytes + excluded.bytes <= $3`,
    [teamId, bytes, most],
  );
  return taken > 0;
};

/**
 * Subtracts bytes. Call it after changing the recordings: every transaction locks recordings before this row, so that
 * none can deadlock.
 */
export const giveBackRecordingBytes = (queries: Queries, teamId: string, bytes: number): Promise<number> =>
  queries.run(
    `update telephony_recording_bytes set bytes = case when bytes > $2 then bytes - $2 else 0 end where team_id = $1`,
    [teamId, bytes],
  );

export const deleteRecordingBytes = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('delete from telephony_recording_bytes where team_id = $1', [teamId]);
