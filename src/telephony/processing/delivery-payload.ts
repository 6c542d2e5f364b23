import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { Secret } from '../../platform/index.ts';
import { SealBroken, type SealedColumn, type Vault } from '../../vault/index.ts';
import type { TelephonyAccount } from '../accounts/account.ts';
import type { PayloadBudget } from '../budget/payload-budget.ts';
import type { DeliveryFacts } from '../contract/call-fact.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { Recognized, TelephonyProvider } from '../contract/provider.ts';
import type { DeliveryRow } from './delivery-store.ts';
import { readFacts } from './read-facts.ts';

const placeOf = (id: string) => ({ record: `deliveries/${id}`, field: 'payload' });
const heldPlace = (id: string) => ({ record: `held_deliveries/${id}`, field: 'content' });

export const SEALED_DELIVERIES: readonly SealedColumn[] = [
  { table: 'deliveries', column: 'payload', placedBy: ['id'], placesOf: (id = '') => [placeOf(id)] },
  { table: 'held_deliveries', column: 'content', placedBy: ['id'], placesOf: (id = '') => [heldPlace(id)] },
];

/** Hashes the account and the provider's key for the delivery. Every repetition of a delivery has the same digest. */
export const deliveryDigestOf = (accountId: string, key: string): string =>
  hash('sha256', `${accountId} ${key}`, 'base64url');

/**
 * Makes the id of a delivery. The row stays after its payload is erased, so the id is hashed with the team's key: from
 * a plain digest, anyone with the database could find the phone numbers by trying them all. Ids from before November
 * 2026 are plain digests, and are converted with this function, too.
 */
export const deliveryIdOf = (vault: Pick<Vault, 'hash'>, teamId: string, digest: string): Promise<string> =>
  vault.hash(teamId, `delivery ${digest}`);

/** Length of a digest from `deliveryDigestOf`. The id of a delivery is shorter. */
export const DIGEST_CHARACTERS = 43;

/** Prints a delivery as JSON. A body in UTF-8 stays text, which is shorter than base64. */
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

type Owner = Pick<TelephonyAccount, 'teamId' | 'id'>;
type Receipt = Pick<DeliveryRow, 'receivedAt' | 'secretId'>;

const sealContent = async (
  vault: Vault,
  { provider, delivery }: Recognized,
  { teamId, id: accountId }: Owner,
  receipt: Receipt,
  content: string,
): Promise<DeliveryRow> => {
  const id = await deliveryIdOf(vault, teamId, deliveryDigestOf(accountId, provider.keyOf(delivery)));
  const payload = await vault.seal(teamId, placeOf(id), new Secret(content));
  return { id, teamId, accountId, provider: provider.id, route: delivery.route, payload, ...receipt };
};

/** Seals a verified delivery for storage. Of its headers, only the content type is stored. */
export const sealDelivery = (
  vault: Vault,
  recognized: Recognized,
  owner: Owner,
  receipt: Receipt,
): Promise<DeliveryRow> => {
  const { delivery } = recognized;
  const type = delivery.headers['content-type'];
  const kept = { ...delivery, headers: type === undefined ? {} : { 'content-type': type } };
  return sealContent(vault, recognized, owner, receipt, print(kept));
};

/**
 * Seals only the facts of a delivery, which are small whatever was sent. Their JSON starts with a brace, and that of a
 * whole delivery with a bracket.
 */
const sealFacts = (vault: Vault, recognized: Recognized, owner: Owner, receipt: Receipt): Promise<DeliveryRow> => {
  const facts = readFacts(recognized.provider, recognized.delivery, receipt.receivedAt);
  return sealContent(vault, recognized, owner, receipt, JSON.stringify(facts));
};

/** Seals a verified delivery: whole if it fits into the team's budget, otherwise only its facts. Counts the bytes. */
export const sealWithinBudget = async (
  { vault, payloadBudget }: { vault: Vault; payloadBudget: PayloadBudget },
  recognized: Recognized,
  owner: Owner,
  receipt: Receipt,
): Promise<DeliveryRow> => {
  const whole = await sealDelivery(vault, recognized, owner, receipt);
  if (payloadBudget.take(whole)) return whole;
  const facts = await sealFacts(vault, recognized, owner, receipt);
  payloadBudget.add(facts);
  return facts;
};

/** Opens a stored delivery and returns its facts, whether the whole delivery was stored or only its facts. */
export const openFacts = async (
  vault: Vault,
  provider: TelephonyProvider,
  row: DeliveryRow,
): Promise<DeliveryFacts> => {
  const text = (await vault.open(row.teamId, placeOf(row.id), row.payload)).reveal();
  return text.startsWith('{') ? JSON.parse(text) : readFacts(provider, parse(text, row.route), row.receivedAt);
};

/** Opens a stored delivery as text to search. Returns an empty text if the seal is broken. */
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

/** Seals a held delivery with all its headers, so that it can be verified again. */
export const sealWhole = (vault: Vault, teamId: string, id: string, delivery: Delivery): Promise<string> =>
  vault.seal(teamId, heldPlace(id), new Secret(JSON.stringify([delivery.route, print(delivery)])));

export const openWhole = async (vault: Vault, teamId: string, id: string, sealed: string): Promise<Delivery> => {
  const opened = await vault.open(teamId, heldPlace(id), sealed);
  const [route, text] = JSON.parse(opened.reveal());
  if (route !== 'voice' && route !== 'recording') throw new SealBroken('This is not a held delivery.');
  return parse(text, route);
};
