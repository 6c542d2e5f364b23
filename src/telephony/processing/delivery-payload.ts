import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { Account } from '../accounts/account.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import type { DeliveryRow } from './delivery-store.ts';

const placeOf = (id: string) => ({ record: `deliveries/${id}`, field: 'payload' });
const heldPlace = (id: string) => ({ record: `held_deliveries/${id}`, field: 'content' });

/** The same for every repetition: made from the account and the provider's key for the delivery. */
export const deliveryIdOf = (accountId: string, key: string): string =>
  hash('sha256', `${accountId} ${key}`, 'base64url');

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

/** A verified delivery as it is stored, to be read later: of its headers, only the content type. */
export const sealDelivery = async (
  vault: Vault,
  { provider, delivery }: { provider: TelephonyProvider; delivery: Delivery },
  { teamId, id: accountId }: Pick<Account, 'teamId' | 'id'>,
  told: Pick<DeliveryRow, 'receivedAt' | 'secretId'>,
): Promise<DeliveryRow> => {
  const id = deliveryIdOf(accountId, provider.keyOf(delivery));
  const type = delivery.headers['content-type'];
  const kept = { ...delivery, headers: type === undefined ? {} : { 'content-type': type } };
  const payload = await vault.seal(teamId, placeOf(id), new Secret(print(kept)));
  return { id, teamId, accountId, provider: provider.id, route: delivery.route, payload, ...told };
};

export const openPayload = async (vault: Vault, sealed: DeliveryRow): Promise<Delivery> =>
  parse((await vault.open(sealed.teamId, placeOf(sealed.id), sealed.payload)).reveal(), sealed.route);

/** With all headers, so it can be verified again. */
export const sealWhole = (vault: Vault, teamId: string, id: string, delivery: Delivery): Promise<string> =>
  vault.seal(teamId, heldPlace(id), new Secret(JSON.stringify([delivery.route, print(delivery)])));

export const openWhole = async (vault: Vault, teamId: string, id: string, sealed: string): Promise<Delivery> => {
  const opened = await vault.open(teamId, heldPlace(id), sealed);
  const [route, text] = JSON.parse(opened.reveal());
  if (route !== 'voice' && route !== 'recording') throw new SealBroken('This is not a held delivery.');
  return parse(text, route);
};
