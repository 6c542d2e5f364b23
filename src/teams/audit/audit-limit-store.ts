import { AFTER_IDS, type Database, deleteInPieces, type Queries } from '../../platform/index.ts';

/** If a person repeats an action, the first entries of each day (UTC), up to this many, are deleted last. */
const FIRST_OF_A_KIND = 20;
/** How many entries are searched in one query. */
const STRETCH = 20_000;
const PIECE = 200;
const DAY_MS = 24 * 3_600_000;

/** Finds the next team with entries. Teams are handled one by one, because a query over all entries takes too long. */
const findTeamAfter = async (database: Database, after: string): Promise<string | null> => {
  const text = 'select min(team_id) from audit_events where team_id > $1';
  const [first] = await database.scan<[string | null]>(text, [after]);
  return first?.[0] ?? null;
};

/** The newest entry beyond the limit. Null if the team is within it. */
const findNewestBeyond = async (database: Database, teamId: string, most: number): Promise<string | null> => {
  const text = 'select id from audit_events where team_id = $1 order by id desc limit 1 offset $2';
  const [last] = await database.scan<[string]>(text, [teamId, most]);
  return last?.[0] ?? null;
};

const countUpTo = async (database: Database, teamId: string, id: string): Promise<number> => {
  const text = 'select count(*) from audit_events where team_id = $1 and id <= $2';
  const [row] = await database.scan<[number]>(text, [teamId, id]);
  return Number(row?.[0] ?? 0);
};

/** The last of the next `STRETCH` entries. */
const findEndAfter = async (database: Database, teamId: string, after: string): Promise<string> => {
  const text = 'select id from audit_events where team_id = $1 and id > $2 order by id limit 1 offset $3';
  const [last] = await database.scan<[string]>(text, [teamId, after, STRETCH - 1]);
  return last?.[0] ?? AFTER_IDS;
};

/** Entries about repeated actions, oldest first: all but the first `FIRST_OF_A_KIND` of a person's action on a day. */
const listRepeats = async (
  database: Database,
  teamId: string,
  { after, end }: { after: string; end: string },
  most: number,
): Promise<string[]> => {
  const rows = await database.scan<[string]>(
    `select id from (
        select id, row_number() over (partition by actor, actor_id, action, at / ${DAY_MS} order by id) as place
        from audit_events where team_id = $1 and id > $2 and id <= $3) as placed
      where place > ${FIRST_OF_A_KIND} order by id limit $4`,
    [teamId, after, end, most],
  );
  return rows.map(([id]) => id);
};

const deleteEntries = async (queries: Queries, teamId: string, ids: readonly string[]): Promise<void> => {
  for (let done = 0; done < ids.length; done += PIECE)
    await queries.runFrom(
      { columns: { team_id: 'text', id: 'text' }, rows: ids.slice(done, done + PIECE).map((id) => [teamId, id]) },
      `delete from audit_events where id in (
        select e.id from rows join audit_events e on e.id = rows.id and e.team_id = rows.team_id)`,
    );
};

/** Deletes up to `most` repeated entries. */
const deleteRepeats = async (database: Database, teamId: string, most: number): Promise<void> => {
  let deleted = 0;
  for (let after = ''; after < AFTER_IDS && deleted < most; ) {
    const end = await findEndAfter(database, teamId, after);
    const ids = await listRepeats(database, teamId, { after, end }, most - deleted);
    await deleteEntries(database, teamId, ids);
    deleted += ids.length;
    after = end;
  }
};

/**
 * Deletes each team's entries beyond the limit. First deletes repeated actions, so that nobody can hide an action by
 * doing another very often. If that isn't enough, deletes the oldest entries.
 */
export const deleteAuditBeyond = async (database: Database, most: number): Promise<void> => {
  for (let teamId = await findTeamAfter(database, ''); teamId; teamId = await findTeamAfter(database, teamId)) {
    const beyond = await findNewestBeyond(database, teamId, most);
    if (beyond === null) continue;
    await deleteRepeats(database, teamId, await countUpTo(database, teamId, beyond));
    const last = await findNewestBeyond(database, teamId, most);
    const oldest = { from: 'audit_events', key: 'id', where: 'team_id = $1 and id <= $2' };
    if (last !== null) await deleteInPieces(database, oldest, [teamId, last]);
  }
};
