import { equalSecrets } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { TelephonyAccount } from '../accounts/account.ts';
import type { RefusalReason } from './diagnose-refusal.ts';

/**
 * Header of a setup test. An admin presses a button, and the service sends itself a request through its public URL, as
 * a provider would. This header has a ticket that no one else can make. The request is verified like any other, the
 * response says what was received, and nothing is stored. An accepted risk: someone who intercepts the request can send
 * it again without the ticket. Then it's a regular delivery, and adds a call that never happened.
 */
export const TEST_HEADER = 'patchbay-test';

const LIFETIME_MS = 60_000;

export type SetupTest =
  | { outcome: 'unreachable'; detail: string }
  | { outcome: 'redirected'; location: string }
  | { outcome: 'other_service'; method: 'GET' | 'POST'; status: number }
  /** A Patchbay responded, but didn't recognize the test: it's another instance, or the URL lost its query. */
  | { outcome: 'account_unseen' }
  | { outcome: 'address_changed'; sent: string; arrived: string }
  | { outcome: 'signature_refused'; reason: RefusalReason }
  /** The URL works, but the signature isn't tested, because we don't have the provider's key for signing. */
  | { outcome: 'signature_untested' }
  | { outcome: 'works' };

/** What the receiving end reports about a test. */
export type Sighting = { receipt: string; target: string; verdict: 'ok' | RefusalReason };

type Known = Pick<TelephonyAccount, 'id' | 'teamId'>;

const sealOf = (vault: Vault, { id, teamId }: Known, until: string): Promise<string> =>
  vault.hash(teamId, `setup test ${id} ${until}`);

export const writeTicket = async (vault: Vault, account: Known, now: number): Promise<string> => {
  const until = String(now + LIFETIME_MS);
  return `${until}.${await sealOf(vault, account, until)}`;
};

export const isTicket = async (vault: Vault, account: Known, ticket: string, now: number): Promise<boolean> => {
  const [until = '', seal = ''] = ticket.split('.');
  return now < Number(until) && equalSecrets(await sealOf(vault, account, until), seal);
};

/** Makes the receipt with which the receiving end proves that it's this service and not an impostor. */
export const writeReceipt = (vault: Vault, { teamId }: Known, ticket: string): Promise<string> =>
  vault.hash(teamId, `setup test receipt ${ticket}`);
