import type { Queries } from '../../platform/index.ts';
import type { RecordingRow } from './recording-store.ts';

/** The call a recording belongs to, if it is known. */
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
