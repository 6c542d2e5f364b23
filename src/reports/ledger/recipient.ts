import { Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { ReportDelivery } from './report-delivery.ts';

const placeOf = (deliveryId: string) => ({ record: `report_deliveries/${deliveryId}`, field: 'recipient' });

export const sealRecipient = (vault: Vault, teamId: string, deliveryId: string, address: string): Promise<string> =>
  vault.seal(teamId, placeOf(deliveryId), new Secret(address));

export const openRecipient = async (vault: Vault, { teamId, id, recipient }: ReportDelivery): Promise<string> => {
  if (recipient === null) throw new Error('A mail has no recipient.');
  return (await vault.open(teamId, placeOf(id), recipient)).reveal();
};
