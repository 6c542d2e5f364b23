import type { Queries, ScannedRow, Value } from '../../platform/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { ContainedConnection, Containment } from '../containment/containment.ts';

/** What to look for among the connections. */
export type ConnectionFilter = Pick<Containment, 'provider' | 'ofTeamId' | 'connectedBefore' | 'startedAt'>;

/** The conditions of a filter, with `$1` and so on for its values. Only those that are set, so that an index fits. */
const conditionsOf = ({ provider, ofTeamId, connectedBefore, startedAt }: ConnectionFilter) => {
  const values: Value[] = [];
  const add = (value: Value): string => `$${values.push(value)}`;
  const conditions = [`connected_at <= ${add(startedAt)}`];
  if (provider !== null) conditions.push(`provider = ${add(provider)}`);
  if (ofTeamId !== null) conditions.push(`team_id = ${add(ofTeamId)}`);
  if (connectedBefore !== null) conditions.push(`connected_at < ${add(connectedBefore)}`);
  return { where: conditions.join(' and '), values };
};

export type MatchingConnection = Pick<
  ContainedConnection,
  'teamId' | 'provider' | 'name' | 'accountId' | 'accountLabel'
> &
  Pick<Connection, 'id' | 'connectedAt' | 'clientId' | 'clientOf' | 'authority'>;

const MATCHING = `select id, team_id as "teamId", provider, name, connected_at as "connectedAt", account_id as "accountId",
  account_label as "accountLabel", client_id as "clientId", client_of as "clientOf", authority from connections`;

/** Lists the connections that a filter matches, by ID. */
export const listMatching = (
  queries: Queries,
  filter: ConnectionFilter,
  after: string,
  limit: number,
): Promise<MatchingConnection[]> => {
  const { where, values } = conditionsOf(filter);
  const [idPlace, limitPlace] = [`$${values.length + 1}`, `$${values.length + 2}`];
  return queries.all(`${MATCHING} where ${where} and id > ${idPlace} order by id limit ${limitPlace}`, [
    ...values,
    after,
    limit,
  ]);
};

/** Lists these connections of a team, if the filter matches them. */
export const listMatchingOf = (
  queries: Queries,
  filter: ConnectionFilter & { ofTeamId: string },
  ids: readonly string[],
): Promise<MatchingConnection[]> => {
  const { provider, ofTeamId, connectedBefore, startedAt } = filter;
  return queries
    .allFrom({ columns: { id: 'text' }, rows: ids.map((id) => [id]) }, `${MATCHING} where id in (select id from rows)`)
    .then((rows) =>
      (rows as MatchingConnection[]).filter(
        (one) =>
          one.teamId === ofTeamId &&
          one.connectedAt <= startedAt &&
          (provider === null || one.provider === provider) &&
          (connectedBefore === null || one.connectedAt < connectedBefore),
      ),
    );
};

/** Counts what a filter matches, by provider. A long read. */
export const countMatching = async (
  { scan }: { scan<Row extends ScannedRow>(text: string, values: readonly Value[]): Promise<Row[]> },
  filter: ConnectionFilter,
): Promise<{ provider: string; connections: number }[]> => {
  const { where, values } = conditionsOf(filter);
  const rows = await scan<[string, number]>(
    `select provider, cast(count(*) as int) from connections where ${where} group by provider order by provider`,
    values,
  );
  return rows.map(([provider, connections]) => ({ provider, connections }));
};
