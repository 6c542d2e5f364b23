import { type Delivery, headerOf, JSON_TYPE, queryOf } from '../contract/delivery.ts';
import type { ReplyDocument } from '../contract/provider.ts';
import type { ReceiverContext } from './receiver-context.ts';
import { isTicket, type Sighting, TEST_HEADER, writeReceipt } from './setup-test.ts';

/** Responds to a setup test with what was received. Returns null for a regular delivery. */
export const receiveSetupTest = async (
  { vault, clock, url, providers, switchboard }: ReceiverContext,
  delivery: Delivery,
): Promise<ReplyDocument | null> => {
  const ticket = headerOf(delivery, TEST_HEADER);
  const ourId = ticket && queryOf(delivery).get('account');
  if (!ticket || !ourId) return null;
  await switchboard.catchUp();
  const now = clock.now();
  for (const provider of providers) {
    const [account] = switchboard.findCandidates(provider.id, ourId, null);
    if (!account || !(await isTicket(vault, account, ticket, now))) continue;
    const verdict = provider.verify(delivery, account.secrets, { publicUrl: url, now });
    const sighting: Sighting = {
      receipt: await writeReceipt(vault, account, ticket),
      target: delivery.target,
      verdict: verdict.ok ? 'ok' : verdict.reason,
    };
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(sighting) };
  }
  return null;
};
