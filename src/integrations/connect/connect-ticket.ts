import { type Clock, type Database, digestOf, randomSecret } from '../../platform/index.ts';
import { getUser } from '../../teams/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import { ticketInvalid } from '../errors.ts';
import { insertUsedTicket } from './attempt-store.ts';
import { STATE_LIFETIME_MS, squeeze, unsqueeze, type Wish } from './connect-state.ts';

/** A connect request that an app made for its user, to be opened in the user's browser as a link. */
export type Ticket = Wish & { userId: string; teamId: string; expiresAt: number };

const PURPOSE = 'connect ticket';
const MOST_CHARACTERS = 4_000;
/** Kept past its expiry, so that a slow clock doesn't let it in again. */
const KEPT_MS = 3_600_000;

export const makeTicket = (
  { vault, clock }: { vault: Vault; clock: Clock },
  provider: string,
  holder: { userId: string; teamId: string },
  { scopes, returnTo, params }: Wish,
): string => {
  const expiresAt = clock.now() + STATE_LIFETIME_MS;
  const content = [randomSecret(), holder.userId, holder.teamId, expiresAt, scopes, returnTo, params];
  return vault.sealPassing(PURPOSE, [provider], squeeze(JSON.stringify(content)));
};

const openTicket = (vault: Vault, provider: string, sealed: string): Ticket & { nonce: string } => {
  if (sealed.length > MOST_CHARACTERS) throw ticketInvalid();
  try {
    const [nonce, userId, teamId, expiresAt, scopes, returnTo, params] = JSON.parse(
      unsqueeze(vault.openPassing(PURPOSE, [provider], sealed)),
    );
    return { nonce, userId, teamId, expiresAt, scopes, returnTo, params };
  } catch (error) {
    if (error instanceof SealBroken) throw ticketInvalid();
    throw error;
  }
};

/** Works once. It proves that the browser was given the link, not whose browser it is. */
export const redeemTicket = async (
  { vault, clock, database }: { vault: Vault; clock: Clock; database: Database },
  provider: string,
  sealed: string,
): Promise<Ticket> => {
  const { nonce, ...ticket } = openTicket(vault, provider, sealed);
  if (clock.now() >= ticket.expiresAt) throw ticketInvalid();
  // Someone who has left the team since can no longer connect anything to it.
  if (!(await getUser(database, ticket.teamId, ticket.userId))) throw ticketInvalid();
  const fresh = await insertUsedTicket(database, digestOf(nonce), ticket.expiresAt + KEPT_MS);
  if (fresh === 0) throw ticketInvalid();
  return ticket;
};
