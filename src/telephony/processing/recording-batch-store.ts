import { createRowTable, type Queries } from '../../platform/index.ts';
import type { RecordingTold } from '../recordings/recording.ts';
import { SELECTED_RECORDING, type RecordingRow as WholeRow } from '../recordings/recording-store.ts';

export type RecordingName = Pick<WholeRow, 'teamId' | 'accountId' | 'externalId'>;

/** A recording as known before it is fetched. */
export type RecordingRow = RecordingName & Pick<WholeRow, 'id' | 'provider' | 'createdAt'> & RecordingTold;

const namesOf = createRowTable({ teamId: 'text', accountId: 'text', externalId: 'text' });

/** The known ones, locked until the transaction ends, ordered by key. */
export const lockRecordings = (queries: Queries, names: readonly RecordingName[]): Promise<RecordingRow[]> =>
  queries.allFrom<WholeRow>(
    namesOf(names),
    `select ${SELECTED_RECORDING} from recordings
      where id in (select r.id from rows join recordings r
        on r.account_id = rows.account_id and r.external_id = rows.external_id and r.team_id = rows.team_id)
      order by account_id, external_id for update`,
  );

const tableOf = createRowTable({
  id: 'text',
  teamId: 'text',
  accountId: 'text',
  provider: 'text',
  externalId: 'text',
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

/** Returns the ids of the new ones. */
export const insertRecordings = async (queries: Queries, recordings: readonly RecordingRow[]): Promise<Set<string>> => {
  const table = tableOf(recordings);
  const names = Object.keys(table.columns).join(', ');
  const inserted = await queries.allFrom<{ id: string }>(
    table,
    `insert into recordings (${names}) select ${names} from rows where true
      on conflict (account_id, external_id) do nothing returning id`,
  );
  return new Set(inserted.map(({ id }) => id));
};

export const updateRecordings = (queries: Queries, recordings: readonly RecordingRow[]): Promise<number> =>
  queries.runFrom(
    tableOf(recordings),
    `update recordings set call_key = rows.call_key, told_status = rows.told_status, state = rows.state,
      media_url = rows.media_url, media_expires_at = rows.media_expires_at, started_at = rows.started_at,
      duration_ms = rows.duration_ms, channels = rows.channels, source = rows.source, error_code = rows.error_code
      from rows where recordings.team_id = rows.team_id and recordings.id = rows.id`,
  );
