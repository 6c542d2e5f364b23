import { type Queries, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { TranscriptContent } from './transcript.ts';
import type { TranscriptRow } from './transcript-store.ts';

type Owner = Pick<TranscriptRow, 'teamId' | 'recordingId'>;

const placeOf = (recordingId: string) => ({ record: `transcripts/${recordingId}`, field: 'content' });

export const SEALED_TRANSCRIPTS: readonly SealedColumn[] = [
  {
    table: 'transcripts',
    column: 'content',
    placedBy: ['recording_id'],
    placesOf: (recordingId = '') => [placeOf(recordingId)],
  },
];

export const sealTranscript = (
  vault: Vault,
  { teamId, recordingId }: Owner,
  content: TranscriptContent,
  queries?: Queries,
): Promise<string> => vault.seal(teamId, placeOf(recordingId), new Secret(JSON.stringify(content)), queries);

/** Opens a transcript. Null if there is no text. */
export const openTranscript = async (
  vault: Vault,
  { teamId, recordingId, content }: Owner & Pick<TranscriptRow, 'content'>,
  queries?: Queries,
): Promise<TranscriptContent | null> =>
  content === null ? null : JSON.parse((await vault.open(teamId, placeOf(recordingId), content, queries)).reveal());
