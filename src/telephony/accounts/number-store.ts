import { BEFORE_IDS, deleteInPieces, insertRow, type Queries } from '../../platform/index.ts';

/** A number as it is stored. The number and its answer are sealed. */
export type NumberRow = {
  id: string;
  teamId: string;
  accountId: string;
  numberHash: string;
  number: string;
  label: string | null;
  answer: string;
  createdAt: number;
  removedAt: number | null;
};

const SELECTED = `id, team_id as "teamId", account_id as "accountId", number_hash as "numberHash", number, label, answer,
  created_at as "createdAt", removed_at as "removedAt"`;

export const insertNumber = (queries: Queries, number: NumberRow, change: number): Promise<number> =>
  insertRow(queries, 'telephony_numbers', { ...number, change });

/**
 * Updates a number. Does nothing if someone else has changed it since `before` was read. Comparing the sealed answer
 * shows that: every change seals the answer again, which gives a different text.
 */
export const updateNumber = (
  queries: Queries,
  before: NumberRow,
  { accountId, numberHash, number, label, answer }: NumberRow,
  change: number,
): Promise<number> =>
  queries.run(
    `update telephony_numbers set account_id = $4, number_hash = $5, number = $6, label = $7, answer = $8, change = $9
      where team_id = $1 and id = $2 and removed_at is null and answer = $3`,
    [before.teamId, before.id, before.answer, accountId, numberHash, number, label, answer, change],
  );

const REMOVED = "number = '', number_hash = '', label = null, answer = ''";

export const removeNumber = (queries: Queries, teamId: string, id: string, change: number, now: number) =>
  queries.run(
    `update telephony_numbers set ${REMOVED}, change = $3, removed_at = $4
      where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id, change, now],
  );

/**
 * Removes the numbers of an account that is removed. They need no change numbers of their own: when a process reads the
 * account's change, it drops the account and its numbers from memory.
 */
export const removeNumbersOfAccount = (queries: Queries, teamId: string, accountId: string, now: number) =>
  queries.run(
    `update telephony_numbers set ${REMOVED}, removed_at = $3
      where team_id = $1 and account_id = $2 and removed_at is null`,
    [teamId, accountId, now],
  );

export const getNumber = (queries: Queries, teamId: string, id: string): Promise<NumberRow | undefined> =>
  queries.get<NumberRow>(
    `select ${SELECTED} from telephony_numbers where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id],
  );

/**
 * Finds the team's own number that an inbound call was to. `known` is false while it isn't known yet who called whom, or
 * whether there is such a call.
 */
export const findNumberOfCall = async (
  queries: Queries,
  { teamId, accountId, callKey }: { teamId: string; accountId: string; callKey: string },
): Promise<{ known: boolean; number: NumberRow | undefined }> => {
  const call = await queries.get<{ direction: string; toHash: string | null }>(
    `select direction, to_hash as "toHash" from calls
      where team_id = $1 and account_id = $2 and external_id = $3 and told_by is not null`,
    [teamId, accountId, callKey],
  );
  if (call?.direction !== 'inbound' || call.toHash === null) return { known: call !== undefined, number: undefined };
  const number = await queries.get<NumberRow>(
    `select ${SELECTED} from telephony_numbers
      where team_id = $1 and account_id = $2 and number_hash = $3 and removed_at is null`,
    [teamId, accountId, call.toHash],
  );
  return { known: true, number };
};

/** Owner of numbers: a team, or one of its accounts. */
type Owner = { teamId: string; accountId: string | null };

/** Lists numbers after the given id, oldest first. */
export const listNumbers = (
  queries: Queries,
  { teamId, accountId }: Owner,
  after: string | null,
  limit: number,
): Promise<NumberRow[]> => {
  const text = `select ${SELECTED} from telephony_numbers where team_id = $1 and removed_at is null and id > $2`;
  const values = [teamId, after ?? BEFORE_IDS, limit];
  return accountId === null
    ? queries.all<NumberRow>(`${text} order by id limit $3`, values)
    : queries.all<NumberRow>(`${text} and account_id = $4 order by id limit $3`, [...values, accountId]);
};

/** Returns the oldest of the team's own numbers or, if `isSimulated`, of those that a simulation made. */
export const getOldestNumber = (
  queries: Queries,
  teamId: string,
  { isSimulated }: { isSimulated: boolean },
): Promise<NumberRow | undefined> =>
  queries.get<NumberRow>(
    `select ${SELECTED} from telephony_numbers where team_id = $1 and removed_at is null
      and (select a.simulated from telephony_accounts a where a.id = account_id) = $2 order by id limit 1`,
    [teamId, isSimulated ? 1 : 0],
  );

/** Lists all numbers of a team without their answers. A team has ten thousand at most. */
export const listNumberNames = (queries: Queries, teamId: string) =>
  queries.all<Pick<NumberRow, 'id' | 'teamId' | 'number' | 'label'>>(
    `select id, team_id as "teamId", number, label from telephony_numbers
      where team_id = $1 and removed_at is null order by id limit 10000`,
    [teamId],
  );

/** Lists the numbers that have a label. Calls store the same `numberHash`, so that their label can be found. */
export const listNumberLabels = (queries: Queries, teamId: string) =>
  queries.all<Pick<NumberRow, 'accountId' | 'numberHash'> & { label: string }>(
    `select account_id as "accountId", number_hash as "numberHash", label from telephony_numbers
      where team_id = $1 and removed_at is null and label is not null order by id limit 10000`,
    [teamId],
  );

export const countNumbers = async (queries: Queries, { teamId, accountId }: Owner): Promise<number> => {
  const text = 'select count(*) as n from telephony_numbers where team_id = $1 and removed_at is null';
  const row = await (accountId === null
    ? queries.get<{ n: number }>(text, [teamId])
    : queries.get<{ n: number }>(`${text} and account_id = $2`, [teamId, accountId]));
  return row?.n ?? 0;
};

export const hasNumber = async (queries: Queries, teamId: string, numberHash: string): Promise<boolean> =>
  (await queries.get(
    'select id from telephony_numbers where team_id = $1 and number_hash = $2 and removed_at is null limit 1',
    [teamId, numberHash],
  )) !== undefined;

/** Lists numbers, in all teams, with a change number above `after`. The switchboard reads them into memory. */
export const listChangedNumbers = (queries: Queries, after: number, limit: number) =>
  queries.all<NumberRow & { change: number }>(
    `select ${SELECTED}, change from telephony_numbers where change > $1 order by change limit $2`,
    [after, limit],
  );

/**
 * Lists numbers, in all teams, that weren't removed. The switchboard of a process that has just started reads them, in
 * the order of their changes.
 */
export const listLiveNumbers = (queries: Queries, after: number, limit: number) =>
  queries.all<NumberRow & { change: number }>(
    `select ${SELECTED}, change from telephony_numbers where removed_at is null and change > $1 order by change limit $2`,
    [after, limit],
  );

/** Lists which of these numbers still have a row. */
export const listNumbersStillThere = async (queries: Queries, ids: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { id: 'text' }, rows: ids.map((id) => [id]) },
    'select n.id from rows join telephony_numbers n on n.id = rows.id',
  );
  return rows.map(({ id }) => id);
};

export const deleteNumbersOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'telephony_numbers', key: 'id', where: 'team_id = $1' }, [teamId], pace);
