import { type Clock, type Database, type Outbound, type OutboundAnswer, OutboundFailed } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { getAccount } from '../accounts/account-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import { findTelephonyProvider } from '../accounts/put-account.ts';
import type { SampleNotice, TelephonyProvider } from '../contract/provider.ts';
import { webhookUrl } from '../contract/webhook-url.ts';
import { accountUnknown } from '../errors.ts';
import { type SetupTest, type Sighting, TEST_HEADER, writeReceipt, writeTicket } from './setup-test.ts';

export type TestDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  outbound: Outbound;
  url: string;
  providers: readonly TelephonyProvider[];
};

const PATIENCE_MS = 6_000;
const MOST_BYTES = 100_000;

type Proof = { ticket: string; receipt: string };
type Seen = { sighting: Sighting } | { failed: SetupTest };

const toObject = (body: Buffer): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
};

const isSighting = (value: unknown, receipt: string): value is Sighting =>
  typeof value === 'object' && value !== null && 'receipt' in value && value.receipt === receipt;

/** Tells from the response who sent it. */
const readAnswer = (
  { status, headers, body }: OutboundAnswer<Buffer>,
  method: 'GET' | 'POST',
  { receipt }: Proof,
): Seen => {
  const answer = toObject(body);
  if (isSighting(answer, receipt)) return { sighting: answer };
  if (status >= 300 && status < 400) return { failed: { outcome: 'redirected', location: headers.location ?? '' } };
  if (status === 200 && answer['endpoint'] === 'telephony.voice') return { failed: { outcome: 'account_unseen' } };
  return { failed: { outcome: 'other_service', method, status } };
};

/** Sends one request to ourselves. Either it arrives unchanged, or the failure is the outcome. */
const send = async (
  { outbound }: TestDependencies,
  address: string,
  proof: Proof,
  notice?: SampleNotice,
): Promise<Seen> => {
  const method = notice ? 'POST' : 'GET';
  const sent = address.slice(new URL(address).origin.length);
  try {
    const answer = await outbound.request({
      url: address,
      method,
      headers: { ...notice?.headers, [TEST_HEADER]: proof.ticket },
      ...(notice && { body: notice.body }),
      timeoutMs: PATIENCE_MS,
      mostBytes: MOST_BYTES,
      trusted: true,
    });
    const seen = readAnswer(answer, method, proof);
    return 'sighting' in seen && seen.sighting.target !== sent
      ? { failed: { outcome: 'address_changed', sent, arrived: seen.sighting.target } }
      : seen;
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    return { failed: { outcome: 'unreachable', detail: error.message } };
  }
};

/**
 * Calls the account's public URL as its provider would. Nothing signed is sent before the other end has proved that
 * it's us: with some providers the proof is the secret itself.
 */
export const testSetup = async (
  dependencies: TestDependencies,
  teamId: string,
  accountId: string,
): Promise<SetupTest> => {
  const { database, vault, clock, url, providers } = dependencies;
  const row = await getAccount(database, teamId, accountId);
  if (!row) throw accountUnknown();
  const account = await openAccount(vault, row);
  const provider = findTelephonyProvider(providers, account.provider);
  const now = clock.now();
  const ticket = await writeTicket(vault, account, now);
  const proof = { ticket, receipt: await writeReceipt(vault, account, ticket) };

  const voice = webhookUrl(url, 'voice', account.id);
  const reached = await send(dependencies, voice, proof);
  if ('failed' in reached) return reached.failed;

  const address = `${voice}&step=status`;
  const secret = account.secrets[0]?.value ?? '';
  const notice = provider.sampleNotice({ address, accountId: account.accountId, secret, now });
  if (!notice) return { outcome: 'signature_untested' };
  const told = await send(dependencies, address, proof, notice);
  if ('failed' in told) return told.failed;
  const { verdict } = told.sighting;
  return verdict === 'ok' ? { outcome: 'works' } : { outcome: 'signature_refused', reason: verdict };
};
