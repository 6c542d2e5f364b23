import type { Queries, Transaction } from '../../../platform/index.ts';
import { deleteArrivalsAt } from '../receiving/arrival-store.ts';

/** An address of a team's own, to which a provider sends webhooks. */
export type WebhookAddress = {
  id: string;
  teamId: string;
  provider: string;
  /** The sealed address. */
  address: string;
  /** When an admin last made or changed it. For a while after that, a handshake can bring its secret. */
  openedAt: number;
  lastDeliveryAt: number | null;
  lastType: string | null;
  /** The name of the connection that the last delivery was about. Null if it named none of the team's. */
  lastConnection: string | null;
  lastRefusalAt: number | null;
  lastRefusal: string | null;
};

/** A secret that verifies what arrives at an address. Sealed. */
export type WebhookSecret = { id: string; secret: string; addedAt: number; usedAt: number | null };

const SELECTED = `id, team_id as "teamId", provider, address, opened_at as "openedAt", last_delivery_at as "lastDeliveryAt",
  last_type as "lastType", last_connection as "lastConnection", last_refusal_at as "lastRefusalAt",
  last_refusal as "lastRefusal"`;

export const getAddress = (
  queries: Queries,
  teamId: string,
  provider: string,
  lock: '' | 'for update' = '',
): Promise<WebhookAddress | undefined> =>
  queries.get<WebhookAddress>(
    `select ${SELECTED} from webhook_addresses where team_id = $1 and provider = $2 ${lock}`,
    [teamId, provider],
  );

/** Finds the address that a provider has called. The digest stands for the team's ID: it belongs to one team only. */
export const findAddress = (queries: Queries, digest: string): Promise<WebhookAddress | undefined> =>
  queries.get<WebhookAddress>(`select ${SELECTED} from webhook_addresses where digest = $1`, [digest]);

/** Which of these addresses still exist, and belong to these teams. */
export const listLiveAddresses = async (
  queries: Queries,
  addresses: readonly { teamId: string; id: string }[],
): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { team_id: 'text', id: 'text' }, rows: addresses.map(({ teamId, id }) => [teamId, id]) },
    'select id from webhook_addresses where (team_id, id) in (select team_id, id from rows)',
  );
  return rows.map(({ id }) => id);
};

type NewAddress = Pick<WebhookAddress, 'id' | 'teamId' | 'provider' | 'address'> & {
  digest: string;
  createdAt: number;
};

/** Makes an address, or notes that an admin has just opened the one that there is. Returns whether it was made. */
export const openAddress = async (
  queries: Queries,
  { id, teamId, provider, digest, address, createdAt }: NewAddress,
): Promise<boolean> => {
  const row = await queries.get<{ id: string }>(
    `insert into webhook_addresses (id, team_id, provider, digest, address, created_at, opened_at)
      values ($1, $2, $3, $4, $5, $6, $6)
      on conflict (team_id, provider) do update set opened_at = excluded.opened_at
      returning id`,
    [id, teamId, provider, digest, address, createdAt],
  );
  return row?.id === id;
};

export const replaceAddress = (
  queries: Queries,
  {
    id,
    teamId,
    digest,
    address,
    openedAt,
  }: Pick<NewAddress, 'id' | 'teamId' | 'digest' | 'address'> & { openedAt: number },
): Promise<number> =>
  queries.run('update webhook_addresses set digest = $3, address = $4, opened_at = $5 where team_id = $1 and id = $2', [
    teamId,
    id,
    digest,
    address,
    openedAt,
  ]);

/** Deletes an address with its secrets. */
export const deleteAddress = async (tx: Transaction, teamId: string, id: string): Promise<number> => {
  await tx.run('delete from webhook_secrets where team_id = $1 and address_id = $2', [teamId, id]);
  return tx.run('delete from webhook_addresses where team_id = $1 and id = $2', [teamId, id]);
};

/** Deletes a team's addresses, with the digests of what has arrived there, a few at a time. */
export const deleteAddressesOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  // One by one, or PostgreSQL may read everything that has arrived anywhere, for each piece.
  const addresses = await queries.all<{ id: string }>('select id from webhook_addresses where team_id = $1', [teamId]);
  for (const { id } of addresses) await deleteArrivalsAt(queries, id, pace);
  await queries.run('delete from webhook_secrets where team_id = $1', [teamId]);
  await queries.run('delete from webhook_addresses where team_id = $1', [teamId]);
};

/** Lists the secrets of an address, newest first. */
export const listSecrets = (queries: Queries, teamId: string, addressId: string): Promise<WebhookSecret[]> =>
  queries.all<WebhookSecret>(
    `select id, secret, added_at as "addedAt", used_at as "usedAt" from webhook_secrets
      where team_id = $1 and address_id = $2 order by added_at desc, id desc`,
    [teamId, addressId],
  );

export const insertSecret = (
  queries: Queries,
  { teamId, id: addressId }: Pick<WebhookAddress, 'teamId' | 'id'>,
  { id, secret, addedAt }: Omit<WebhookSecret, 'usedAt'>,
): Promise<number> =>
  queries.run('insert into webhook_secrets (id, address_id, team_id, secret, added_at) values ($1, $2, $3, $4, $5)', [
    id,
    addressId,
    teamId,
    secret,
    addedAt,
  ]);

export const deleteSecret = (queries: Queries, teamId: string, addressId: string, id: string): Promise<number> =>
  queries.run('delete from webhook_secrets where team_id = $1 and address_id = $2 and id = $3', [
    teamId,
    addressId,
    id,
  ]);

/** What has arrived at an address lately. */
export type AddressSighting = {
  teamId: string;
  id: string;
  delivery?: { at: number; type: string; connection: string | null };
  refusal?: { at: number; reason: string };
  /** The secrets that have verified something, and when. */
  used: ReadonlyMap<string, number>;
};

/** Writes what was last seen at an address. */
export const putSighting = async (
  tx: Transaction,
  { teamId, id, delivery, refusal, used }: AddressSighting,
): Promise<void> => {
  if (delivery)
    await tx.run(
      `update webhook_addresses set last_delivery_at = $3, last_type = $4, last_connection = $5
        where team_id = $1 and id = $2`,
      [teamId, id, delivery.at, delivery.type, delivery.connection],
    );
  if (refusal)
    await tx.run(
      'update webhook_addresses set last_refusal_at = $3, last_refusal = $4 where team_id = $1 and id = $2',
      [teamId, id, refusal.at, refusal.reason],
    );
  for (const [secretId, at] of used)
    await tx.run('update webhook_secrets set used_at = $3 where team_id = $1 and id = $2', [teamId, secretId, at]);
};
