import type { Queries } from '../../../platform/index.ts';

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

/** One connection per team is enough: the event is the team's. Its first connection comes first. */
const select = (by: NamedBy, whose: string): string =>
  `select c.id, c.team_id as "teamId", c.name, c.account_id as "accountId", c.account_label as "accountLabel",
      rows.provider, rows.value
    from rows join connections c on c.provider = rows.provider and c.${COLUMN[by]} = rows.value
    where ${whose} and (c.reason is null or c.reason <> 'withdrawn')
    order by c.connected_at, c.id`;

type Wanted = { provider: string; value: string };

/** Lists the connections, in all teams, of the operator's clients to these accounts. */
export const listNamedOfOperator = (
  queries: Queries,
  by: NamedBy,
  wanted: readonly (Wanted & { clientId: string })[],
): Promise<NamedConnection[]> =>
  queries.allFrom<NamedConnection>(
    {
      columns: { provider: 'text', value: 'text', client_id: 'text' },
      rows: wanted.map(({ provider, value, clientId }) => [provider, value, clientId]),
    },
    select(by, `c.client_of = 'operator' and c.client_id = rows.client_id`),
  );

/** Lists a team's connections to these accounts. */
export const listNamedOfTeams = (
  queries: Queries,
  by: NamedBy,
  wanted: readonly (Wanted & { teamId: string })[],
): Promise<NamedConnection[]> =>
  queries.allFrom<NamedConnection>(
    {
      columns: { provider: 'text', value: 'text', team_id: 'text' },
      rows: wanted.map(({ provider, value, teamId }) => [provider, value, teamId]),
    },
    select(by, 'c.team_id = rows.team_id'),
  );
