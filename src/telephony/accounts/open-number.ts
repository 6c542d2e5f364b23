import { type Queries, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { Answer } from '../contract/answer-settings.ts';
import type { NumberRow } from './number-store.ts';

type Sealed = Pick<NumberRow, 'teamId' | 'id'>;

const placeOf = ({ id }: Pick<Sealed, 'id'>, field: 'number' | 'answer') => ({
  record: `telephony_numbers/${id}`,
  field,
});

export const SEALED_NUMBERS: readonly SealedColumn[] = (['number', 'answer'] as const).map((column) => ({
  table: 'telephony_numbers',
  column,
  placedBy: ['id'],
  placesOf: (id = '') => [placeOf({ id }, column)],
}));

export const sealNumber = (vault: Vault, row: Sealed, number: string): Promise<string> =>
  vault.seal(row.teamId, placeOf(row, 'number'), new Secret(number));

export const openNumber = async (vault: Vault, row: Sealed & Pick<NumberRow, 'number'>): Promise<string> =>
  (await vault.open(row.teamId, placeOf(row, 'number'), row.number)).reveal();

/** Seals an answer, because a forwarding number is somebody's phone number. */
export const sealAnswer = (vault: Vault, row: Sealed, answer: Answer): Promise<string> =>
  vault.seal(row.teamId, placeOf(row, 'answer'), new Secret(JSON.stringify(answer)));

export const openAnswer = async (
  vault: Vault,
  row: Sealed & Pick<NumberRow, 'answer'>,
  queries?: Queries,
): Promise<Answer> => JSON.parse((await vault.open(row.teamId, placeOf(row, 'answer'), row.answer, queries)).reveal());
