import { Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { TelephonyAccount } from './account.ts';
import type { AccountRow } from './account-store.ts';

type Sealed = Pick<AccountRow, 'teamId' | 'id'>;

const placeOf = ({ id }: Pick<Sealed, 'id'>, field: 'secrets' | 'api') => ({
  record: `telephony_accounts/${id}`,
  field,
});

export const SEALED_ACCOUNTS: readonly SealedColumn[] = (['secrets', 'api'] as const).map((column) => ({
  table: 'telephony_accounts',
  column,
  placedBy: ['id'],
  placesOf: (id = '') => [placeOf({ id }, column)],
}));

export const sealSecrets = (vault: Vault, row: Sealed, secrets: TelephonyAccount['secrets']): Promise<string> =>
  vault.seal(row.teamId, placeOf(row, 'secrets'), new Secret(JSON.stringify(secrets)));

export const sealApi = async (vault: Vault, row: Sealed, api: TelephonyAccount['api']): Promise<string | null> =>
  Object.keys(api).length === 0 ? null : vault.seal(row.teamId, placeOf(row, 'api'), new Secret(JSON.stringify(api)));

export const openAccount = async (vault: Vault, row: AccountRow): Promise<TelephonyAccount> => {
  const { id, teamId, provider, externalId, mode, observeUntil } = row;
  const secrets = await vault.open(teamId, placeOf(row, 'secrets'), row.secrets);
  const api = row.api === null ? '{}' : (await vault.open(teamId, placeOf(row, 'api'), row.api)).reveal();
  return {
    id,
    teamId,
    provider,
    accountId: externalId,
    secrets: JSON.parse(secrets.reveal()),
    api: JSON.parse(api),
    mode,
    observeUntil,
    removesArchived: row.removesArchived === 1,
    isSimulated: row.simulated === 1,
  };
};
