import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { Secret } from '../../platform/index.ts';
import { SealBroken, type SealedColumn, type Vault } from '../../vault/index.ts';
import type { TelephonyAccount } from '../accounts/account.ts';
import type { DeliveryFacts } from '../contract/call-event.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import type { DeliveryRow } from './delivery-store.ts';
import { readFacts } from './read-facts.ts';

const placeOf = (id: string) => ({ record: `deliveries/${id}`, field: 'payload' });
const heldPlace = (id: string) => ({ record: `held_deliveries/${id}`, field: 'content' });

export const SEALED_DELIVERIES: readonly SealedColumn[] = [
  { table: 'deliveries', column: 'payload', placedBy: ['id'], placesOf: (id = '') => [placeOf(id)] },
  { table: 'held_deliveries', column: 'content', placedBy: ['id'], placesOf: (id = '') => [heldPlace(id)] },
];

/** The same for every repetition: made from the account and the provider's key for the delivery. */
export const deliveryDigestOf = (accountId: string, key: string): string =>
  hash('sha256', `${accountId} ${key}`, 'base64url');

/**
 * Ids outlive what they were made from, so they need the team's key: with a digest alone, whoever has the database could
 * try all phone numbers. Until November 2026, ids were such digests, which can be turned into these.
 */
export const deliveryIdOf = (vault: Pick<Vault, 'hash'>, teamId: string, digest: string): Promise<string> =>
  vault.hash(teamId, `delivery ${digest}`);

/** How many characters such a digest has. The id of a delivery has fewer. */
export const DIGEST_CHARACTERS = 43;

/** As text if the bytes are text, as most are: shorter, and it converts back to the same bytes. */
const print = ({ method, target, headers, body }: Delivery): string =>
  JSON.stringify([
    method,
    target,
    headers,
    ...(isUtf8(body) ? ['utf8', body.toString('utf8')] : ['base64', body.toString('base64')]),
  ]);

const parse = (text: string, route: Delivery['route']): Delivery => {
  const [method, target, headers, encoding, body] = JSON.parse(text);
  return { route, method, target, headers, body: Buffer.from(body, encoding) };
};

type Received = { provider: TelephonyProvider; delivery: Delivery };
type Owner = Pick<TelephonyAccount, 'teamId' | 'id'>;
type Told = Pick<DeliveryRow, 'receivedAt' | 'secretId'>;

const sealContent = async (
  vault: Vault,
  { provider, delivery }: Received,
  { teamId, id: accountId }: Owner,
  told: Told,
  content: string,
): Promise<DeliveryRow> => {
  const id = await deliveryIdOf(vault, teamId, deliveryDigestOf(accountId, provider.keyOf(delivery)));
  const payload = await vault.seal(teamId, placeOf(id), new Secret(content));
  return { id, teamId, accountId, provider: provider.id, route: delivery.route, payload, ...told };
};

/** A verified delivery as it is stored, to be read later: of its headers, only the content type. */
export const sealDelivery = (vault: Vault, received: Received, owner: Owner, told: Told): Promise<DeliveryRow> => {
  const { delivery } = received;
  const type = delivery.headers['content-type'];
  const kept = { ...delivery, headers: type === undefined ? {} : { 'content-type': type } };
  return sealContent(vault, received, owner, told, print(kept));
};

/** Only what the delivery says, which is small whatever was sent. It starts with a brace, a whole one with a bracket. */
export const sealFacts = (vault: Vault, received: Received, owner: Owner, told: Told): Promise<DeliveryRow> => {
  const facts = readFacts(received.provider, received.delivery, told.receivedAt);
  return sealContent(vault, received, owner, told, JSON.stringify(facts));
};

/** What a stored delivery says, whole or not. */
export const openFacts = async (
  vault: Vault,
  provider: TelephonyProvider,
  row: DeliveryRow,
): Promise<DeliveryFacts> => {
  const text = (await vault.open(row.teamId, placeOf(row.id), row.payload)).reveal();
  return text.startsWith('{') ? JSON.parse(text) : readFacts(provider, parse(text, row.route), row.receivedAt);
};

/** What is stored of a delivery, as text to search. Empty if its seal is broken: nobody can read it. */
export const openText = async (vault: Vault, row: Pick<DeliveryRow, 'teamId' | 'id' | 'payload'>): Promise<string> => {
  const sealed = await vault.open(row.teamId, placeOf(row.id), row.payload).catch((err) => {
    if (err instanceof SealBroken) return null;
    throw err;
  });
  const text = sealed?.reveal() ?? '';
  if (text === '') return text;
  if (text.startsWith('{')) return text;
  const { target, body } = parse(text, 'voice');
  return `${target}\n${body.toString('utf8')}`;
};

/** With all headers, so it can be verified again. */
export const sealWhole = (vault: Vault, teamId: string, id: string, delivery: Delivery): Promise<string> =>
  vault.seal(teamId, heldPlace(id), new Secret(JSON.stringify([delivery.route, print(delivery)])));

export const openWhole = async (vault: Vault, teamId: string, id: string, sealed: string): Promise<Delivery> => {
  const opened = await vault.open(teamId, heldPlace(id), sealed);
  const [route, text] = JSON.parse(opened.reveal());
  if (route !== 'voice' && route !== 'recording') throw new SealBroken('This is not a held delivery.');
  return parse(text, route);
};
