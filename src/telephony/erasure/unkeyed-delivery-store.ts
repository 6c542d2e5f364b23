import { defineRow, type Queries, type Transaction } from '../../platform/index.ts';
import { DIGEST_CHARACTERS } from '../processing/delivery-payload.ts';
import type { DeliveryRow } from '../processing/delivery-store.ts';
import { lockNamed } from '../processing/external-row-store.ts';

export type Unkeyed = Pick<DeliveryRow, 'teamId' | 'id' | 'accountId'> & { callKey: string | null };

/** Lists deliveries, in all teams, that have no payload anymore and whose id is still a plain digest. */
export const listUnkeyed = (
  queries: Queries,
  { teamId, id }: Pick<DeliveryRow, 'teamId' | 'id'>,
  limit: number,
): Promise<Unkeyed[]> =>
  queries.all<Unkeyed>(
    `select team_id as "teamId", id, account_id as "accountId", call_key as "callKey" from deliveries
      where payload is null and length(id) = ${DIGEST_CHARACTERS} and (team_id, id) > ($1, $2)
      order by team_id, id limit $3`,
    [teamId, id, limit],
  );

const RENAMED = defineRow({ teamId: 'text', id: 'text', accountId: 'text', callKey: 'text', newId: 'text' });

const CALL =
  'calls.account_id = rows.account_id and calls.external_id = rows.call_key and calls.team_id = rows.team_id';

/**
 * Changes the ids of deliveries in all tables. If the provider repeated a delivery after the id format changed, a row
 * with the new id exists already, and the old row is deleted.
 */
export const renameDeliveries = async (
  tx: Transaction,
  deliveries: readonly (Unkeyed & { newId: string })[],
): Promise<void> => {
  const table = RENAMED.toTable(deliveries);
  const calls = deliveries.flatMap(({ callKey, ...row }) =>
    callKey === null ? [] : [{ ...row, externalId: callKey }],
  );
  if (calls.length > 0) await lockNamed(tx, calls, { selected: 'id', from: 'calls' });
  await tx.runFrom(
    table,
    `update call_events set delivery_id = rows.new_id from rows join calls on ${CALL}
      where call_events.call_id = calls.id and call_events.delivery_id = rows.id`,
  );
  // With an old id, `told_by` is a rank of one character, a space, and the id.
  await tx.runFrom(
    table,
    `update calls set told_by = substr(told_by, 1, 2) || rows.new_id from rows
      where ${CALL} and substr(told_by, 3) = rows.id`,
  );
  await tx.runFrom(
    table,
    `delete from deliveries where id in (select rows.id from rows join deliveries known on known.id = rows.new_id)`,
  );
  await tx.runFrom(
    table,
    `update deliveries set id = rows.new_id from rows
      where deliveries.id = rows.id and deliveries.team_id = rows.team_id and deliveries.payload is null`,
  );
};
