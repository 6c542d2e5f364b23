import type { Queries } from '../../platform/index.ts';

const SCHEDULES = ['refresh_due_at', 'verify_due_at'];
const DUE = '(select max(due) from rows)';

const reschedule = async (queries: Queries, ids: readonly string[], due: number, is: '<' | '>'): Promise<void> => {
  const table = { columns: { id: 'text', due: 'bigint' }, rows: ids.map((id) => [id, due]) } as const;
  for (const column of SCHEDULES)
    await queries.runFrom(
      table,
      `update connections set ${column} = ${DUE} where ${column} ${is} ${DUE} and id in (select id from rows)`,
    );
};

/** Has connections refreshed and verified no earlier than at a time, if they are at all. */
export const postponeConnections = (queries: Queries, ids: readonly string[], until: number): Promise<void> =>
  reschedule(queries, ids, until, '<');

/** Has connections refreshed and verified now, if they are at all. */
export const wakeConnections = (queries: Queries, ids: readonly string[], now: number): Promise<void> =>
  reschedule(queries, ids, now, '>');
