import { defineRow, type Queries } from '../../platform/index.ts';
import type { RecordingTold } from '../recordings/recording.ts';
import { SELECTED_RECORDING, type RecordingRow as WholeRow } from '../recordings/recording-store.ts';
import { EXTERNAL, type ExternalName, insertNewRows, listNamed, lockNamed, updateRows } from './external-row-store.ts';

/** A recording as known before it is fetched. */
export type RecordingBatchRow = ExternalName & Pick<WholeRow, 'id' | 'provider' | 'createdAt'> & RecordingTold;

export const lockRecordings = (queries: Queries, names: readonly ExternalName[]): Promise<RecordingBatchRow[]> =>
  lockNamed<WholeRow>(queries, names, { selected: SELECTED_RECORDING, from: 'recordings' });

/** Lists the IDs of recordings by their names. */
export const listRecordingIds = (
  queries: Queries,
  names: readonly ExternalName[],
): Promise<(ExternalName & { id: string })[]> =>
  listNamed(queries, names, {
    selected: 'id, team_id as "teamId", account_id as "accountId", external_id as "externalId"',
    from: 'recordings',
  });

const RECORDING = defineRow({
  ...EXTERNAL,
  callKey: 'text',
  toldStatus: 'text',
  state: 'text',
  mediaUrl: 'text',
  mediaExpiresAt: 'bigint',
  startedAt: 'bigint',
  durationMs: 'bigint',
  channels: 'bigint',
  source: 'text',
  errorCode: 'text',
  createdAt: 'bigint',
});

export const insertRecordings = (queries: Queries, recordings: readonly RecordingBatchRow[]): Promise<Set<string>> =>
  insertNewRows(queries, 'recordings', RECORDING.toTable(recordings));

export const updateRecordings = (queries: Queries, recordings: readonly RecordingBatchRow[]): Promise<number> =>
  updateRows(queries, 'recordings', RECORDING.toTable(recordings));
