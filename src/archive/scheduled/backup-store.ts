import { insertRow, type Queries } from '../../platform/index.ts';

/** A backup made by the schedule or by "backup now". `place` is where it's kept. */
type Backup = {
  id: string;
  place: string;
  name: string;
  begunAt: number;
};

export type LastBackup = { name: string; endedAt: number; bytes: number };

const SELECTED = 'id, place, name, begun_at as "begunAt"';

export const insertBackup = (queries: Queries, backup: Backup): Promise<number> =>
  insertRow(queries, 'backups', { ...backup, state: 'running' });

export const completeBackup = (queries: Queries, id: string, bytes: number, endedAt: number): Promise<number> =>
  queries.run("update backups set state = 'done', bytes = $2, ended_at = $3 where id = $1", [id, bytes, endedAt]);

export const failBackup = (queries: Queries, id: string, problem: string, endedAt: number): Promise<number> =>
  queries.run("update backups set state = 'failed', problem = $2, ended_at = $3 where id = $1 and state = 'running'", [
    id,
    problem,
    endedAt,
  ]);

/** Lists backups that are still marked as running, although their process must have ended. */
export const listLeftRunning = (queries: Queries, begunBefore: number): Promise<Backup[]> =>
  queries.all<Backup>(`select ${SELECTED} from backups where state = 'running' and begun_at < $1`, [begunBefore]);

/**
 * Lists the backups kept in `place`, except the `keep` newest. A backup from after `now` (the clock was ahead) is
 * treated as the oldest. Otherwise, every new backup would be deleted before it.
 */
export const listOlder = (queries: Queries, place: string, keep: number, now: number): Promise<Backup[]> =>
  queries.all<Backup>(
    `select ${SELECTED} from backups where state = 'done' and place = $1
      and id not in (select id from (select id from backups where state = 'done' and place = $1
        order by case when begun_at > $3 then 1 else 0 end, begun_at desc, id desc limit $2) newest)
      order by begun_at`,
    [place, keep, now],
  );

export const markBackupRemoved = (queries: Queries, id: string): Promise<number> =>
  queries.run("update backups set state = 'removed' where id = $1 and state = 'done'", [id]);

export const deleteBackupsBefore = (queries: Queries, before: number): Promise<number> =>
  queries.run("delete from backups where state in ('failed', 'removed') and begun_at < $1", [before]);

/**
 * The newest completed backup, even if it was deleted since. One from after `now` is only used if there is no other.
 */
export const getLastBackup = (queries: Queries, now: number): Promise<LastBackup | undefined> =>
  queries.get<LastBackup>(
    `select name, ended_at as "endedAt", bytes from backups where state in ('done', 'removed')
      order by case when begun_at > $1 then 1 else 0 end, begun_at desc limit 1`,
    [now],
  );

export type KeptBackup = LastBackup & { place: string };

/** Lists completed backups that weren't deleted since, newest first. */
export const listKept = (queries: Queries): Promise<KeptBackup[]> =>
  queries.all<KeptBackup>(
    `select name, place, ended_at as "endedAt", bytes from backups where state = 'done' order by begun_at desc, id desc`,
  );

/** When the oldest backup in the table was begun. */
export const getFirstBegun = async (queries: Queries): Promise<number | null> => {
  const row = await queries.get<{ at: number | null }>('select min(begun_at) as at from backups');
  return row?.at ?? null;
};

/** Why the newest backup failed. Null if it didn't. */
export const getLastProblem = async (queries: Queries): Promise<string | null> => {
  const row = await queries.get<{ state: string; problem: string | null }>(
    "select state, problem from backups where state <> 'running' order by begun_at desc limit 1",
  );
  return row?.state === 'failed' ? row.problem : null;
};
