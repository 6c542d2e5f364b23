import type { Queries } from '../../platform/index.ts';
import { containmentOf } from '../containment/consent-store.ts';

const DUE = '(select max(due) from rows)';
const tableOf = (ids: readonly string[], due: number) =>
  ({ columns: { id: 'text', due: 'bigint' }, rows: ids.map((id) => [id, due]) }) as const;

/**
 * Takes connections off their schedules: none is refreshed before a time, and none is verified. Skips those that somebody
 * has connected again.
 */
export const suspendConnections = async (queries: Queries, ids: readonly string[], until: number): Promise<void> => {
  await queries.runFrom(
    tableOf(ids, until),
    `update connections set verify_due_at = null,
        refresh_due_at = case when refresh_due_at < ${DUE} then ${DUE} else refresh_due_at end
      where id in (select id from rows) and ${containmentOf('connections')} is not null`,
  );
};

/** Has connections verified now, and refreshed if they ever are, unless another containment stops them. */
export const wakeConnections = async (queries: Queries, ids: readonly string[], now: number): Promise<void> => {
  await queries.runFrom(
    tableOf(ids, now),
    `update connections set verify_due_at = ${DUE},
        refresh_due_at = case when refresh_due_at > ${DUE} then ${DUE} else refresh_due_at end
      where id in (select id from rows) and ${containmentOf('connections')} is null`,
  );
};

/** Has connections that were stored while the clock was ahead be from before a time. */
export const pullBackConsents = (queries: Queries, ids: readonly string[], to: number): Promise<number> =>
  queries.runFrom(
    tableOf(ids, to),
    `update connections set connected_at = ${DUE} where connected_at > ${DUE} and id in (select id from rows)`,
  );
