import type { Clock, Database } from '../platform/index.ts';
import { SealBroken, type Vault } from '../vault/index.ts';
import { linkInvalid } from './errors.ts';
import { insertUnsubscribe } from './report-delivery-store.ts';

const PURPOSE = 'report unsubscribe';

type Unsubscriber = { teamId: string; recipientHash: string };

/** A link that works without anybody being signed in, and for nobody else. */
export const unsubscribeUrlOf = (vault: Vault, url: string, { teamId, recipientHash }: Unsubscriber): string => {
  const sealed = vault.sealPassing(PURPOSE, [], Buffer.from(JSON.stringify([teamId, recipientHash])));
  return `${url}/unsubscribe/${sealed}`;
};

export const openUnsubscribe = (vault: Vault, sealed: string): Unsubscriber => {
  try {
    const [teamId, recipientHash] = JSON.parse(vault.openPassing(PURPOSE, [], sealed).toString('utf8'));
    return { teamId, recipientHash };
  } catch (error) {
    if (error instanceof SealBroken) throw linkInvalid();
    throw error;
  }
};

export const unsubscribe = async (
  { database, vault, clock }: { database: Database; vault: Vault; clock: Clock },
  sealed: string,
): Promise<void> => {
  const { teamId, recipientHash } = openUnsubscribe(vault, sealed);
  await insertUnsubscribe(database, teamId, recipientHash, clock.now());
};
