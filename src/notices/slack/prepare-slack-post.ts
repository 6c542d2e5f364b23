import type { Database, Outbound } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Send } from '../dispatches/dispatch.ts';
import { postToSlack } from './post-to-slack.ts';
import { openSlackAddress } from './slack-address.ts';
import { getSlackAddress } from './slack-address-store.ts';
import type { SlackMessage } from './slack-message.ts';

/** Reads the webhook URL when the message is sent, because it may have changed since the message was queued. */
export const prepareSlackPost = async (
  { database, vault, outbound }: { database: Database; vault: Vault; outbound: Outbound },
  teamId: string,
  message: SlackMessage,
): Promise<Send> => {
  const row = await getSlackAddress(database, teamId);
  if (!row) return async () => ({ kind: 'refused', problem: 'Slack is no longer set up for this team.' });
  const address = await openSlackAddress(vault, teamId, row.address);
  return async (begin) => {
    await begin();
    return postToSlack(outbound, address, message);
  };
};
