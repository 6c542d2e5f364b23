import { defineRow, deleteInPieces, type Queries } from '../../platform/index.ts';

export type PayloadBytes = { teamId: string; day: number; bytes: number };

/** Bytes that a team's payloads take. */
export type PayloadUse = { total: number; today: number };

const BYTES = defineRow({ teamId: 'text', day: 'bigint', bytes: 'bigint' });
const ASKED = defineRow({ teamId: 'text', today: 'bigint' });

/** Adds bytes. Every process locks the rows in the same order, so that two processes can't deadlock. */
export const addPayloadBytes = (queries: Queries, rows: readonly PayloadBytes[]): Promise<number> =>
  queries.runFrom(
    BYTES.toTable(rows),
    `insert into telephony_payload_bytes (team_id, day, bytes)
      select team_id, day, bytes from rows where true order by team_id, day
      on conflict (team_id, day) do update set bytes = telephony_payload_bytes.bytes + excluded.bytes`,
  );

/** Reads how much the payloads of teams take. Teams without payloads are left out. */
export const readPayloadUse = async (
  queries: Queries,
  teamIds: readonly string[],
  today: number,
): Promise<Map<string, PayloadUse>> => {
  const rows = await queries.allFrom<{ teamId: string; total: number; today: number }>(
    ASKED.toTable(teamIds.map((teamId) => ({ teamId, today }))),
    `select kept.team_id as "teamId", cast(sum(kept.bytes) as bigint) as total,
        cast(sum(case when kept.day = rows.today then kept.bytes else 0 end) as bigint) as today
      from rows join telephony_payload_bytes kept on kept.team_id = rows.team_id group by kept.team_id`,
  );
  return new Map(
    rows.map(({ teamId, total, today: bytes }) => [teamId, { total: Number(total), today: Number(bytes) }]),
  );
};

/** Deletes the counts of days whose payloads are erased. */
export const deletePayloadDaysBefore = (queries: Queries, teamId: string, day: number): Promise<number> =>
  queries.run('delete from telephony_payload_bytes where team_id = $1 and day < $2', [teamId, day]);

export const deletePayloadBytesOfTeam = (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<number> => {
  const days = { from: 'telephony_payload_bytes', key: 'team_id, day', where: 'team_id = $1' };
  return deleteInPieces(queries, days, [teamId], pace);
};
