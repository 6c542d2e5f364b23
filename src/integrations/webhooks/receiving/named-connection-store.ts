import type { Queries, RowTable } from '../../../platform/index.ts';

/** How a message names an account. */
export type NamedBy = 'account' | 'installation' | 'host';

/** A connection that a message names. */
export type NamedConnection = {
  id: string;
  teamId: string;
  name: string;
  accountId: string | null;
  accountLabel: string | null;
  provider: string;
  value: string;
};

const COLUMN = { account: 'account_id', installation: 'installation_id', host: 'authority' } as const;

/** A connection whose access has ended for good isn't among them: what happens there is none of the team's business. */
const select = (by: NamedBy, whose: string): string =>
  `select c.id, c.team_id as "teamId", c.name, c.account_id as "accountId", c.account_label as "accountLabel",
      rows.provider, rows.value
    from rows join connections c on c.provider = rows.provider and c.${COLUMN[by]} = rows.value
    where ${whose} and not (c.status = 'needs_reconnect' and c.refresh_due_at is null)
    order by c.connected_at, c.id`;

type Wanted = { provider: string; value: string };

/**
 * Reads with the rows of a table. With a statement for each host: most accounts of other providers have the same host,
 * so PostgreSQL would expect to find many, and read all connections.
 */
const read = async (queries: Queries, by: NamedBy, table: RowTable, whose: string): Promise<NamedConnection[]> => {
  if (by !== 'host') return queries.allFrom<NamedConnection>(table, select(by, whose));
  const names = Object.keys(table.columns);
  const values = names.map((_, index) => `cast($${index + 1} as text)`);
  const one = `with rows (${names.join(', ')}) as (select ${values.join(', ')}) ${select(by, whose)}`;
  const found: NamedConnection[] = [];
  for (const row of table.rows) found.push(...(await queries.all<NamedConnection>(one, row)));
  return found;
};

/** Lists the connections, in all teams, of the operator's clients to these accounts. */
export const listNamedOfOperator = (
  queries: Queries,
  by: NamedBy,
  wanted: readonly (Wanted & { clientId: string })[],
): Promise<NamedConnection[]> =>
  read(
    queries,
    by,
    {
      columns: { provider: 'text', value: 'text', client_id: 'text' },
      rows: wanted.map(({ provider, value, clientId }) => [provider, value, clientId]),
    },
    `c.client_of = 'operator' and c.client_id = rows.client_id`,
  );

/** Lists a team's connections to these accounts. */
export const listNamedOfTeams = (
  queries: Queries,
  by: NamedBy,
  wanted: readonly (Wanted & { teamId: string })[],
): Promise<NamedConnection[]> =>
  read(
    queries,
    by,
    {
      columns: { provider: 'text', value: 'text', team_id: 'text' },
      rows: wanted.map(({ provider, value, teamId }) => [provider, value, teamId]),
    },
    'c.team_id = rows.team_id',
  );
