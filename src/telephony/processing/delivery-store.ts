import { defineRow, deleteInPieces, type InsertTarget, type Queries, type Value } from '../../platform/index.ts';
import { addPayloadBytes } from '../budget/payload-bytes-store.ts';
import { dayOf } from '../budget/payload-counts.ts';
import type { Delivery } from '../contract/delivery.ts';

/** One verified webhook request. `payload` is sealed. */
export type DeliveryRow = {
  id: string;
  teamId: string;
  accountId: string;
  provider: string;
  route: Delivery['route'];
  receivedAt: number;
  secretId: string;
  payload: string;
};

const DELIVERY = defineRow({
  id: 'text',
  teamId: 'text',
  accountId: 'text',
  provider: 'text',
  route: 'text',
  receivedAt: 'bigint',
  secretId: 'text',
  payload: 'text',
  state: 'text',
});

/** Target for inserting deliveries. A repetition has the same id and is skipped. */
export const DELIVERIES: InsertTarget = {
  table: 'deliveries',
  columns: DELIVERY.columns,
  id: 'id',
  onConflict: 'skip',
};

export const deliveryValues = (row: DeliveryRow): Value[] => DELIVERY.toValues({ ...row, state: 'received' });

const SELECTED = `id, team_id as "teamId", account_id as "accountId", provider, route, received_at as "receivedAt",
  secret_id as "secretId", payload`;

/** A position in the list of waiting deliveries. */
export type WaitingPlace = Pick<DeliveryRow, 'receivedAt' | 'id'>;

/** Lists deliveries, in all teams, that aren't processed yet, newest first. */
export const listWaitingDeliveries = (queries: Queries, before: WaitingPlace, limit: number): Promise<DeliveryRow[]> =>
  queries.all<DeliveryRow>(
    `select ${SELECTED} from deliveries where state = 'received' and (received_at, id) < ($1, $2)
      order by received_at desc, id desc limit $3`,
    [before.receivedAt, before.id, limit],
  );

/** Returns when the oldest waiting delivery was received. */
export const getOldestWaiting = async (queries: Queries): Promise<number | null> =>
  (
    await queries.get<{ receivedAt: number }>(
      `select received_at as "receivedAt" from deliveries where state = 'received' order by received_at limit 1`,
    )
  )?.receivedAt ?? null;

const PROCESSED = defineRow({
  teamId: 'text',
  id: 'text',
  callKey: 'text',
  told: 'text',
  processedAt: 'bigint',
});

export const markDeliveriesProcessed = (
  queries: Queries,
  deliveries: readonly { teamId: string; id: string; callKey: string | null; told: string }[],
  now: number,
): Promise<number> =>
  queries.runFrom(
    PROCESSED.toTable(deliveries.map((delivery) => ({ ...delivery, processedAt: now }))),
    `update deliveries set state = 'processed', processed_at = rows.processed_at, call_key = rows.call_key,
      told = rows.told, problem = null
      from rows where deliveries.team_id = rows.team_id and deliveries.id = rows.id`,
  );

export const markDeliveryFailed = (
  queries: Queries,
  teamId: string,
  id: string,
  { problem, now }: { problem: string; now: number },
): Promise<number> =>
  queries.run(
    `update deliveries set state = 'failed', processed_at = $3, problem = $4
      where team_id = $1 and id = $2 and state = 'received'`,
    [teamId, id, now, problem],
  );

/** Erases payloads but keeps the rows, so that repetitions are still recognized. Returns how many were erased. */
export const erasePayloadsBefore = (queries: Queries, teamId: string, before: number, limit: number): Promise<number> =>
  queries.run(
    `update deliveries set payload = null where id in (
      select id from deliveries
      where team_id = $1 and received_at < $2 and payload is not null and state <> 'received' limit $3)`,
    [teamId, before, limit],
  );

const OWNED = defineRow({ teamId: 'text', id: 'text' });

/** Erases the payloads of these deliveries, even if they aren't processed yet. */
export const erasePayloads = (
  queries: Queries,
  deliveries: readonly Pick<DeliveryRow, 'teamId' | 'id'>[],
): Promise<number> =>
  queries.runFrom(
    OWNED.toTable(deliveries.map(({ teamId, id }) => ({ teamId, id }))),
    `update deliveries set payload = null
      from rows where deliveries.team_id = rows.team_id and deliveries.id = rows.id`,
  );

/**
 * Erases a delivery's content and marks it as processed, so that nobody reads it again. The row stays, so that
 * repetitions are still recognized.
 */
export const eraseDelivery = (queries: Queries, teamId: string, id: string, now: number): Promise<number> =>
  queries.run(
    `update deliveries set state = 'processed', payload = null, told = null, processed_at = coalesce(processed_at, $3)
      where team_id = $1 and id = $2`,
    [teamId, id, now],
  );

/** Lists processed deliveries that belong to no call, in the order of their ids. */
export const listWithoutCallAfter = (
  queries: Queries,
  { teamId, accountId }: Pick<DeliveryRow, 'teamId' | 'accountId'>,
  after: string,
  limit: number,
): Promise<{ id: string; payload: string | null }[]> =>
  queries.all(
    `select id, payload from deliveries where team_id = $1 and account_id = $2 and call_key is null
      and state <> 'received' and id > $3 order by id limit $4`,
    [teamId, accountId, after, limit],
  );

const PIECE = 200;

/** Erases payloads piece by piece, so that other work runs in between. Subtracts their bytes from the team's count. */
const eraseContent = async (queries: Queries, teamId: string, where: string, values: string[]): Promise<void> => {
  const erasePiece = async (): Promise<number> => {
    const rows = await queries.all<{ id: string; receivedAt: number; bytes: number | null }>(
      `select id, received_at as "receivedAt", length(payload) as bytes from deliveries
        where team_id = $1 and ${where} and state <> 'received' and (payload is not null or told is not null) limit ${PIECE}`,
      [teamId, ...values],
    );
    if (rows.length === 0) return 0;
    // Two transactions may erase the same rows. Only the bytes that this one erased are subtracted.
    const erased = await queries.allFrom<{ id: string }>(
      OWNED.toTable(rows.map(({ id }) => ({ teamId, id }))),
      `update deliveries set payload = null, told = null from rows where deliveries.team_id = rows.team_id
        and deliveries.id = rows.id and (payload is not null or told is not null) returning deliveries.id`,
    );
    const ids = new Set(erased.map(({ id }) => id));
    const days = Map.groupBy(
      rows.filter(({ id }) => ids.has(id)),
      ({ receivedAt }) => dayOf(receivedAt),
    );
    const freed = [...days].map(([day, ofDay]) => ({
      ...{ teamId, day },
      bytes: -ofDay.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    }));
    if (freed.some(({ bytes }) => bytes < 0)) await addPayloadBytes(queries, freed);
    return rows.length;
  };
  while ((await erasePiece()) === PIECE);
};

export const erasePayloadsOfCall = (
  queries: Queries,
  teamId: string,
  accountId: string,
  callKey: string,
): Promise<void> => eraseContent(queries, teamId, 'account_id = $2 and call_key = $3', [accountId, callKey]);

/** Erases the payloads of processed deliveries that belong to no call. */
export const erasePayloadsWithoutCall = (queries: Queries, teamId: string, accountId: string): Promise<void> =>
  eraseContent(queries, teamId, 'account_id = $2 and call_key is null', [accountId]);

export const deleteDelivery = (queries: Queries, teamId: string, id: string): Promise<number> =>
  queries.run('delete from deliveries where team_id = $1 and id = $2', [teamId, id]);

const WAITING_PAGE = 500;
/** Rows deleted per transaction. Ids are random, so every row is on its own index pages: 200 rows would change 3 MB. */
const SCATTERED = 50;

/**
 * Deletes a team's deliveries that aren't processed yet. The index lists them for all teams together, so this also
 * reads those of other teams.
 */
const deleteWaiting = async (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<void> => {
  const listAfter = ({ receivedAt, id }: WaitingPlace) =>
    queries.all<WaitingPlace & { teamId: string }>(
      `select id, team_id as "teamId", received_at as "receivedAt" from deliveries
        where state = 'received' and (received_at, id) > ($1, $2) order by received_at, id limit ${WAITING_PAGE}`,
      [receivedAt, id],
    );
  let page = await listAfter({ receivedAt: -1, id: '' });
  for (let last = page.at(-1); last; last = page.at(-1)) {
    for (const delivery of page) if (delivery.teamId === teamId) await deleteDelivery(queries, teamId, delivery.id);
    await pace();
    page = await listAfter(last);
  }
};

export const deleteDeliveriesOfTeam = async (
  queries: Queries,
  { teamId, accountIds }: { teamId: string; accountIds: readonly string[] },
  pace: () => Promise<void>,
): Promise<void> => {
  const ofAccount = 'team_id = $1 and account_id = $2';
  await deleteWaiting(queries, teamId, pace);
  for (const accountId of accountIds)
    for (const which of ['call_key is not null', "call_key is null and state <> 'received'"]) {
      const deliveries = { from: 'deliveries', key: 'id', where: `${ofAccount} and ${which}`, piece: SCATTERED };
      await deleteInPieces(queries, deliveries, [teamId, accountId], pace);
    }
};
