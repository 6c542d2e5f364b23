import { OutboundFailed, type OutboundResponse } from '../../platform/index.ts';
import { findTelephonyProvider } from '../accounts/account-wish.ts';
import { findAccount } from '../accounts/accounts.ts';
import type { TelephonyContext } from '../context.ts';
import { jsonOf } from '../contract/delivery.ts';
import type { SampleNotice } from '../contract/provider.ts';
import { webhookUrl } from '../contract/webhook-url.ts';
import { type SetupTest, type Sighting, TEST_HEADER, writeReceipt, writeTicket } from './setup-test.ts';

const PATIENCE_MS = 6_000;
const MOST_BYTES = 100_000;

type Proof = { ticket: string; receipt: string };
type Seen = { sighting: Sighting } | { failed: SetupTest };

const isSighting = (value: object, receipt: string): value is Sighting =>
  'receipt' in value && value.receipt === receipt;

/** Finds out from the response who answered the test. */
const readResponse = (response: OutboundResponse<Buffer>, method: 'GET' | 'POST', { receipt }: Proof): Seen => {
  const { status, headers } = response;
  const said = jsonOf(response);
  if (isSighting(said, receipt)) return { sighting: said };
  if (status >= 300 && status < 400) return { failed: { outcome: 'redirected', location: headers.location ?? '' } };
  if (status === 200 && said['endpoint'] === 'telephony.voice') return { failed: { outcome: 'account_unseen' } };
  return { failed: { outcome: 'other_service', method, status } };
};

/** Sends one request to ourselves. Returns what the receiving end saw, or the failure. */
const send = async (
  { outbound }: TelephonyContext,
  address: string,
  proof: Proof,
  notice?: SampleNotice,
): Promise<Seen> => {
  const method = notice ? 'POST' : 'GET';
  const sent = address.slice(new URL(address).origin.length);
  try {
    const response = await outbound.request({
      url: address,
      method,
      headers: { ...notice?.headers, [TEST_HEADER]: proof.ticket },
      ...(notice && { body: notice.body }),
      timeoutMs: PATIENCE_MS,
      mostBytes: MOST_BYTES,
      trusted: true,
    });
    const seen = readResponse(response, method, proof);
    return 'sighting' in seen && seen.sighting.target !== sent
      ? { failed: { outcome: 'address_changed', sent, arrived: seen.sighting.target } }
      : seen;
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    return { failed: { outcome: 'unreachable', detail: error.message } };
  }
};

/**
 * Calls the account's public URL as its provider would. Nothing signed is sent before the other end has shown that it's
 * us, because with some providers, the signature is the secret itself.
 */
export const sendSetupTest = async (
  context: TelephonyContext,
  teamId: string,
  accountId: string,
): Promise<SetupTest> => {
  const { vault, clock, url, providers } = context;
  const account = await findAccount(context, teamId, accountId);
  const provider = findTelephonyProvider(providers, account.provider);
  const now = clock.now();
  const ticket = await writeTicket(vault, account, now);
  const proof = { ticket, receipt: await writeReceipt(vault, account, ticket) };

  const voice = webhookUrl(url, 'voice', account.id);
  const reached = await send(context, voice, proof);
  if ('failed' in reached) return reached.failed;

  const address = `${voice}&step=status`;
  const secret = account.secrets[0]?.value ?? '';
  const notice = provider.sampleNotice({ address, accountId: account.accountId, secret, now });
  if (!notice) return { outcome: 'signature_untested' };
  const told = await send(context, address, proof, notice);
  if ('failed' in told) return told.failed;
  const { verdict } = told.sighting;
  return verdict === 'ok' ? { outcome: 'works' } : { outcome: 'signature_refused', reason: verdict };
};
