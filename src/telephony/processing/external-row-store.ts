import { defineRow, type Queries, type RowTable } from '../../platform/index.ts';

/** Identifies a call or a recording: its account, and the provider's id for it. */
export type ExternalName = { teamId: string; accountId: string; externalId: string };

export const nameOf = ({ accountId, externalId }: Omit<ExternalName, 'teamId'>): string => `${accountId} ${externalId}`;

type Table = 'calls' | 'recordings';

const NAMED = { teamId: 'text', accountId: 'text', externalId: 'text' } as const;
const NAME = defineRow(NAMED);

/** Columns that calls and recordings share, with their types. */
export const EXTERNAL = { id: 'text', provider: 'text', ...NAMED } as const;

/** Lists the named rows that exist. Uses a join, because otherwise SQLite would search every account for every row. */
export const listNamed = <Row extends object>(
  queries: Queries,
  names: readonly ExternalName[],
  { selected, from, lock = '' }: { selected: string; from: Table; lock?: string },
): Promise<Row[]> =>
  queries.allFrom<Row>(
    NAME.toTable(names),
    `select ${selected} from ${from} where id in (select known.id from rows join ${from} known
      on known.account_id = rows.account_id and known.external_id = rows.external_id and known.team_id = rows.team_id)
      ${lock}`,
  );

/**
 * Locks the named rows, if they exist, until the transaction ends. So if two transactions add facts to the same call,
 * the second waits, and sees the facts of the first. Rows are locked in one order to avoid deadlocks. With `no key
 * update`, others can still insert rows that refer to the locked ones.
 */
export const lockNamed = <Row extends object>(
  queries: Queries,
  names: readonly ExternalName[],
  what: { selected: string; from: Table },
): Promise<Row[]> => listNamed(queries, names, { ...what, lock: 'order by account_id, external_id for no key update' });

/** Inserts rows and returns the ids of those that are new. Another process may have inserted the others first. */
export const insertNewRows = async (queries: Queries, into: Table, rows: RowTable): Promise<Set<string>> => {
  const names = Object.keys(rows.columns).join(', ');
  const inserted = await queries.allFrom<{ id: string }>(
    rows,
    `insert into ${into} (${names}) select ${names} from rows where true
      on conflict (account_id, external_id) do nothing returning id`,
  );
  return new Set(inserted.map(({ id }) => id));
};

const FIXED: ReadonlySet<string> = new Set(['id', 'team_id', 'account_id', 'provider', 'external_id', 'created_at']);

export const updateRows = (queries: Queries, table: Table, rows: RowTable): Promise<number> => {
  const changing = Object.keys(rows.columns).filter((column) => !FIXED.has(column));
  return queries.runFrom(
    rows,
    `update ${table} set ${changing.map((column) => `${column} = rows.${column}`).join(', ')}
      from rows where ${table}.team_id = rows.team_id and ${table}.id = rows.id`,
  );
};
