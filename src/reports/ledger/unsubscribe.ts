import type { Clock, Database, NewId } from '../../platform/index.ts';
import { recordAuditOnceADay } from '../../teams/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import { linkInvalid } from '../errors.ts';
import { deleteUnsubscribe, insertUnsubscribe } from './report-delivery-store.ts';

const PURPOSE = 'report unsubscribe';

type Unsubscriber = { teamId: string; recipientHash: string };

/** A link that works without signing in, for as long as the email is kept, and only for its recipient. */
export const unsubscribeUrlOf = async (
  vault: Vault,
  url: string,
  { teamId, recipientHash }: Unsubscriber,
): Promise<string> => `${url}/unsubscribe/${await vault.sealLasting(PURPOSE, teamId, Buffer.from(recipientHash))}`;

/** Links used to be sealed with a key of the ring. Those work for as long as that key is there. */
const openEarlier = (vault: Vault, sealed: string): Unsubscriber => {
  const [teamId, recipientHash] = JSON.parse(vault.openPassing(PURPOSE, [], sealed).toString('utf8'));
  return { teamId, recipientHash };
};

const openLink = async (vault: Vault, sealed: string): Promise<Unsubscriber> => {
  try {
    const { teamId, content } = await vault.openLasting(PURPOSE, sealed);
    return { teamId, recipientHash: content.toString('utf8') };
  } catch (error) {
    if (error instanceof SealBroken) return openEarlier(vault, sealed);
    throw error;
  }
};

export const openUnsubscribe = async (vault: Vault, sealed: string): Promise<Unsubscriber> => {
  try {
    return await openLink(vault, sealed);
  } catch (error) {
    if (error instanceof SealBroken) throw linkInvalid();
    throw error;
  }
};

export type UnsubscribeDependencies = { database: Database; vault: Vault; clock: Clock; newId: NewId };

/** Anyone with the link can do this, so it's recorded, and the same link undoes it. */
export const unsubscribe = async (dependencies: UnsubscribeDependencies, sealed: string): Promise<void> => {
  const { database, vault, clock } = dependencies;
  const { teamId, recipientHash } = await openUnsubscribe(vault, sealed);
  await database.transaction(async (tx) => {
    if ((await insertUnsubscribe(tx, teamId, recipientHash, clock.now())) === 0) return;
    await recordAuditOnceADay(dependencies, tx, teamId, { action: 'report.unsubscribe', target: recipientHash });
  });
};

export const subscribeAgain = async (dependencies: UnsubscribeDependencies, sealed: string): Promise<void> => {
  const { database, vault } = dependencies;
  const { teamId, recipientHash } = await openUnsubscribe(vault, sealed);
  await database.transaction(async (tx) => {
    if ((await deleteUnsubscribe(tx, teamId, recipientHash)) === 0) return;
    await recordAuditOnceADay(dependencies, tx, teamId, { action: 'report.subscribe', target: recipientHash });
  });
};
