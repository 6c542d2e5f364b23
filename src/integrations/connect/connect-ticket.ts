import { digestOf, randomSecret } from '../../platform/index.ts';
import { type Beginning, getUserWhoBegan } from '../../teams/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { ticketInvalid } from '../errors.ts';
import { insertUsedTicket } from './attempt-store.ts';
import {
  type ConnectOptions,
  type ConnectRequest,
  openSqueezed,
  packRequest,
  STATE_LIFETIME_MS,
  squeeze,
  unpackRequest,
} from './connect-state.ts';

/** A connect request that a product made for its user, who opens it as a link in a browser. */
type Ticket = ConnectRequest & { userId: string; teamId: string; expiresAt: number };

const PURPOSE = 'connect ticket';
const MOST_CHARACTERS = 4_000;
/** How long a used ticket is kept after it expires, so that a process whose clock is slow doesn't accept it again. */
const KEPT_MS = 3_600_000;

export const makeTicket = (
  { vault }: Pick<IntegrationsContext, 'vault'>,
  provider: string,
  { userId, teamId, begun }: { userId: string; teamId: string; begun: Beginning },
  options: ConnectOptions,
): string => {
  const expiresAt = begun.begunAt + STATE_LIFETIME_MS;
  const content = [randomSecret(), userId, teamId, expiresAt, ...packRequest({ ...options, begun, expiresAt })];
  return vault.sealPassing(PURPOSE, [provider], squeeze(JSON.stringify(content)));
};

/** Reads a ticket even if it no longer works, to find out where to send its user next. */
export const readTicket = (
  { vault }: Pick<IntegrationsContext, 'vault'>,
  provider: string,
  sealed: string,
): Ticket & { nonce: string } => {
  if (sealed.length > MOST_CHARACTERS) throw ticketInvalid();
  const place = { purpose: PURPOSE, place: provider, refuse: ticketInvalid };
  const [nonce, userId, teamId, expiresAt, ...packed] = openSqueezed(vault, place, sealed);
  return { nonce, userId, teamId, expiresAt, ...unpackRequest(packed, { expiresAt }) };
};

/** Redeems a ticket, which works once. A ticket shows that the browser got the link, but not whose browser it is. */
export const redeemTicket = async (
  context: Pick<IntegrationsContext, 'vault' | 'clock' | 'database'>,
  provider: string,
  sealed: string,
): Promise<Ticket> => {
  const { clock, database } = context;
  const { nonce, ...ticket } = readTicket(context, provider, sealed);
  const { expiresAt } = ticket;
  if (clock.now() >= expiresAt) throw ticketInvalid();
  // Refused if the user has left the team since, if their session or token has ended, or if the ticket was made by
  // someone else in the user's name.
  if (!(await getUserWhoBegan(database, ticket, ticket.begun, clock.now()))) throw ticketInvalid();
  if ((await insertUsedTicket(database, digestOf(nonce), expiresAt + KEPT_MS)) === 0) throw ticketInvalid();
  return ticket;
};
