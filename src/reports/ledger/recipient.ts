import { Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { ReportDispatch } from './report-dispatches.ts';

const placeOf = (dispatchId: string) => ({ record: `report_deliveries/${dispatchId}`, field: 'recipient' });

export const SEALED_RECIPIENTS: SealedColumn = {
  table: 'report_deliveries',
  column: 'recipient',
  placedBy: ['id'],
  placesOf: (id = '') => [placeOf(id)],
};

export const hashRecipient = (vault: Vault, teamId: string, address: string): Promise<string> =>
  vault.hash(teamId, `mail ${address}`);

export const sealRecipient = (vault: Vault, teamId: string, dispatchId: string, address: string): Promise<string> =>
  vault.seal(teamId, placeOf(dispatchId), new Secret(address));

/** The email address of a dispatch. Null if the dispatch isn't an email. */
export const openRecipient = async (vault: Vault, { teamId, id, recipient }: ReportDispatch): Promise<string | null> =>
  recipient === null ? null : (await vault.open(teamId, placeOf(id), recipient)).reveal();
