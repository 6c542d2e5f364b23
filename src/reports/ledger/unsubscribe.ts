import { getTeam, recordAuditOnceADay } from '../../teams/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { ReportsContext } from '../context.ts';
import { linkInvalid } from '../errors.ts';
import { deleteUnsubscribe, insertUnsubscribe } from './dispatch-store.ts';

const PURPOSE = 'report unsubscribe';

type Unsubscriber = { teamId: string; recipientHash: string };

/** A link that works without signing in and only for this recipient, as long as the team exists. */
export const unsubscribeUrlOf = async (
  vault: Vault,
  url: string,
  { teamId, recipientHash }: Unsubscriber,
): Promise<string> => `${url}/unsubscribe/${await vault.sealLasting(PURPOSE, teamId, Buffer.from(recipientHash))}`;

const openLasting = async (vault: Vault, sealed: string): Promise<Unsubscriber> => {
  const { teamId, content } = await vault.openLasting(PURPOSE, sealed);
  return { teamId, recipientHash: content.toString('utf8') };
};

/** Opens a link from an earlier version. It was sealed with a key of the key ring, and works while the ring has it. */
const openEarlier = (vault: Vault, sealed: string): Unsubscriber => {
  const [teamId, recipientHash] = JSON.parse(vault.openPassing(PURPOSE, [], sealed).toString('utf8'));
  return { teamId, recipientHash };
};

export const openUnsubscribe = async (vault: Vault, sealed: string): Promise<Unsubscriber> => {
  for (const open of [openLasting, openEarlier])
    try {
      return await open(vault, sealed);
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
    }
  throw linkInvalid();
};

/** The team whose report the link is about. */
export const getTeamOfLink = async ({ database, vault }: ReportsContext, sealed: string) =>
  getTeam(database, (await openUnsubscribe(vault, sealed)).teamId);

const change = async (context: ReportsContext, sealed: string, action: 'report.unsubscribe' | 'report.subscribe') => {
  const { database, vault, clock } = context;
  const { teamId, recipientHash } = await openUnsubscribe(vault, sealed);
  await database.transaction(async (tx) => {
    if (!(await getTeam(tx, teamId))) throw linkInvalid();
    const changed =
      action === 'report.subscribe'
        ? await deleteUnsubscribe(tx, teamId, recipientHash)
        : await insertUnsubscribe(tx, teamId, recipientHash, clock.now());
    if (changed > 0) await recordAuditOnceADay(context, tx, teamId, { action, target: recipientHash });
  });
};

/** Anyone with the link can unsubscribe the recipient, so this is audited, and the same link undoes it. */
export const unsubscribe = (context: ReportsContext, sealed: string) => change(context, sealed, 'report.unsubscribe');

export const subscribeAgain = (context: ReportsContext, sealed: string) => change(context, sealed, 'report.subscribe');
