import type { Queries } from '../platform/index.ts';

/** As it is stored: the number and how it is answered are sealed. */
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
  queries.run(
    `insert into telephony_numbers (id, team_id, account_id, number_hash, number, label, answer, change, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      number.id,
      number.teamId,
      number.accountId,
      number.numberHash,
      number.number,
      number.label,
      number.answer,
      change,
      number.createdAt,
    ],
  );

export const updateNumber = (queries: Queries, number: NumberRow, change: number): Promise<number> =>
  queries.run(
    `update telephony_numbers set account_id = $3, number_hash = $4, number = $5, label = $6, answer = $7, change = $8
      where team_id = $1 and id = $2 and removed_at is null`,
    [number.teamId, number.id, number.accountId, number.numberHash, number.number, number.label, number.answer, change],
  );

export const removeNumber = (
  queries: Queries,
  teamId: string,
  id: string,
  change: number,
  now: number,
): Promise<number> =>
  queries.run(
    `update telephony_numbers set number = '', number_hash = '', label = null, answer = '', change = $3, removed_at = $4
      where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id, change, now],
  );

export const getNumber = (queries: Queries, teamId: string, id: string): Promise<NumberRow | undefined> =>
  queries.get<NumberRow>(
    `select ${SELECTED} from telephony_numbers where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id],
  );

export const getNumberForUpdate = (queries: Queries, teamId: string, id: string): Promise<NumberRow | undefined> =>
  queries.get<NumberRow>(
    `select ${SELECTED} from telephony_numbers where team_id = $1 and id = $2 and removed_at is null for update`,
    [teamId, id],
  );

export const listNumbers = (queries: Queries, teamId: string): Promise<NumberRow[]> =>
  queries.all<NumberRow>(
    `select ${SELECTED} from telephony_numbers where team_id = $1 and removed_at is null order by created_at, id limit 10000`,
    [teamId],
  );

export const listNumberIdsOfAccount = (
  queries: Queries,
  teamId: string,
  accountId: string,
): Promise<{ id: string }[]> =>
  queries.all('select id from telephony_numbers where team_id = $1 and account_id = $2 and removed_at is null', [
    teamId,
    accountId,
  ]);

/** Of every team: for those who answer from memory. */
export const listChangedNumbers = (
  queries: Queries,
  after: number,
  limit: number,
): Promise<(NumberRow & { change: number })[]> =>
  queries.all(`select ${SELECTED}, change from telephony_numbers where change > $1 order by change limit $2`, [
    after,
    limit,
  ]);
