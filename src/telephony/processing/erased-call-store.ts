import { defineRow, deleteInPieces, type Queries } from '../../platform/index.ts';

/** A call that was erased along with a phone number. Later deliveries about the call are refused. */
export type ErasedCall = { teamId: string; accountId: string; callKey: string };

/**
 * The key under which an erased recording is listed among erased calls. Some deliveries about a recording don't name its
 * call, so that they could only be refused by the recording.
 */
export const erasedRecordingKey = (recordingId: string): string => `recording ${recordingId}`;

const KEY = defineRow({ teamId: 'text', accountId: 'text', callKey: 'text' });
const ERASED = defineRow({ teamId: 'text', accountId: 'text', callKey: 'text', erasedAt: 'bigint' });

export const insertErasedCalls = (queries: Queries, calls: readonly ErasedCall[], now: number): Promise<number> =>
  queries.runFrom(
    ERASED.toTable(calls.map((call) => ({ ...call, erasedAt: now }))),
    `insert into erased_calls (team_id, account_id, call_key, erased_at)
      select team_id, account_id, call_key, erased_at from rows where true on conflict do nothing`,
  );

/** Lists which of the given calls were erased. */
export const listErasedCalls = (queries: Queries, calls: readonly ErasedCall[]): Promise<ErasedCall[]> =>
  queries.allFrom<ErasedCall>(
    KEY.toTable(calls),
    `select e.team_id as "teamId", e.account_id as "accountId", e.call_key as "callKey" from rows join erased_calls e
      on e.account_id = rows.account_id and e.call_key = rows.call_key and e.team_id = rows.team_id`,
  );

export const deleteErasedCallsBefore = (queries: Queries, before: number, limit: number): Promise<number> =>
  queries.run(
    `delete from erased_calls where (account_id, call_key) in (
      select account_id, call_key from erased_calls where erased_at < $1 limit $2)`,
    [before, limit],
  );

export const deleteErasedCallsOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  const calls = { from: 'erased_calls', key: 'account_id, call_key', where: 'team_id = $1' };
  await deleteInPieces(queries, calls, [teamId], pace);
};
