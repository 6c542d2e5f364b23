import { Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { RecordingRow } from './recording-store.ts';

type Owner = Pick<RecordingRow, 'teamId' | 'accountId' | 'externalId'>;

const placeOf = ({ accountId, externalId }: Omit<Owner, 'teamId'>) => ({
  record: `recordings/${accountId}/${externalId}`,
  field: 'media_url',
});

export const SEALED_RECORDINGS: readonly SealedColumn[] = [
  {
    table: 'recordings',
    column: 'media_url',
    placedBy: ['account_id', 'external_id'],
    placesOf: (accountId = '', externalId = '') => [placeOf({ accountId, externalId })],
  },
];

/** Seals the URL from which a recording can be fetched. Anyone who knows the URL may be able to open it. */
export const sealMediaUrl = (vault: Vault, owner: Owner, url: string): Promise<string> =>
  vault.seal(owner.teamId, placeOf(owner), new Secret(url));

export const openMediaUrl = async (
  vault: Vault,
  recording: Owner & Pick<RecordingRow, 'mediaUrl'>,
): Promise<string | null> =>
  recording.mediaUrl === null
    ? null
    : (await vault.open(recording.teamId, placeOf(recording), recording.mediaUrl)).reveal();
