import type { Database, Queries } from '../../platform/index.ts';

/** The webhook URL in `address` is sealed. A team only sees its host. */
type SlackAddressRow = { address: string; host: string; setAt: number; setBy: string };

export const getSlackAddress = (queries: Queries, teamId: string): Promise<SlackAddressRow | undefined> =>
  queries.get<SlackAddressRow>(
    'select address, host, set_at as "setAt", set_by as "setBy" from report_slack_addresses where team_id = $1',
    [teamId],
  );

export const hasSlack = async ({ database }: { database: Database }, teamId: string): Promise<boolean> =>
  (await getSlackAddress(database, teamId)) !== undefined;

export const putSlackAddress = (
  queries: Queries,
  teamId: string,
  { address, host, setAt, setBy }: SlackAddressRow,
): Promise<number> =>
  queries.run(
    `insert into report_slack_addresses (team_id, address, host, set_at, set_by) values ($1, $2, $3, $4, $5)
      on conflict (team_id) do update set address = excluded.address, host = excluded.host,
        set_at = excluded.set_at, set_by = excluded.set_by`,
    [teamId, address, host, setAt, setBy],
  );

export const deleteSlackAddress = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('delete from report_slack_addresses where team_id = $1', [teamId]);
