import { type Database, type Queries, selectFields, type Value } from '../../platform/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { ContainedConnection, Containment } from '../containment/containment.ts';

/** What to look for among the connections. */
export type ConnectionFilter = Pick<Containment, 'provider' | 'ofTeamId' | 'connectedBefore' | 'startedAt'>;

/** The conditions of a filter, with `$1` and so on for its values. Only those that are set, so that an index fits. */
const conditionsOf = (
  { provider, ofTeamId, connectedBefore, startedAt }: ConnectionFilter,
  { is = '<=', isProvider = (place: string): string => `provider = ${place}` } = {},
) => {
  const values: Value[] = [];
  const add = (value: Value): string => `$${values.push(value)}`;
  const conditions = [`connected_at ${is} ${add(startedAt)}`];
  if (provider !== null) conditions.push(isProvider(add(provider)));
  if (ofTeamId !== null) conditions.push(`team_id = ${add(ofTeamId)}`);
  if (connectedBefore !== null) conditions.push(`connected_at < ${add(connectedBefore)}`);
  return { where: conditions.join(' and '), values };
};

export type MatchingConnection = Pick<
  ContainedConnection,
  'teamId' | 'provider' | 'name' | 'accountId' | 'accountLabel'
> &
  Pick<Connection, 'id' | 'connectedAt' | 'clientId' | 'clientOf' | 'authority'>;

const FIELDS = [
  'id',
  'teamId',
  'provider',
  'name',
  'connectedAt',
  'accountId',
  'accountLabel',
  'clientId',
  'clientOf',
  'authority',
] as const satisfies readonly (keyof MatchingConnection)[];

const MATCHING = `select ${selectFields(FIELDS)} from connections`;

type Scan = Pick<Database, 'scan'>;

/** Keeps SQLite from using an index of providers, because it would sort all connections of a provider for each page. */
const withoutIndex = (place: string): string => `(provider = ${place}) is true`;

/** Lists the connections that a filter matches, by ID. A long read if there are many others. */
export const listMatching = async (
  { scan }: Scan,
  filter: ConnectionFilter,
  after: string,
  limit: number,
): Promise<MatchingConnection[]> => {
  const { where, values } = conditionsOf(filter, filter.ofTeamId === null ? { isProvider: withoutIndex } : {});
  const [idPlace, limitPlace] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const rows = await scan(`${MATCHING} where ${where} and id > ${idPlace} order by id limit ${limitPlace}`, [
    ...values,
    after,
    limit,
  ]);
  return rows.map(
    (row) => Object.fromEntries(FIELDS.map((field, index) => [field, row[index]])) as unknown as MatchingConnection,
  );
};

/** Lists the IDs of connections that would match, but seem to be from after a time. */
export const listFromLater = async (
  { scan }: Scan,
  filter: ConnectionFilter,
  after: number,
  limit: number,
): Promise<string[]> => {
  const { where, values } = conditionsOf({ ...filter, connectedBefore: null, startedAt: after }, { is: '>' });
  const rows = await scan<[string]>(`select id from connections where ${where} limit $${values.length + 1}`, [
    ...values,
    limit,
  ]);
  return rows.map(([id]) => id);
};

/** Lists these connections of a team, if the filter matches them. */
export const listMatchingOf = async (
  queries: Queries,
  { provider, ofTeamId, connectedBefore, startedAt }: ConnectionFilter & { ofTeamId: string },
  ids: readonly string[],
): Promise<MatchingConnection[]> => {
  const rows = await queries.allFrom<MatchingConnection>(
    { columns: { id: 'text', team_id: 'text' }, rows: ids.map((id) => [id, ofTeamId]) },
    `${MATCHING} where (id, team_id) in (select id, team_id from rows)`,
  );
  return rows.filter(
    (one) =>
      one.connectedAt <= startedAt &&
      (provider === null || one.provider === provider) &&
      (connectedBefore === null || one.connectedAt < connectedBefore),
  );
};

/** Counts what a filter matches, by provider. A long read. */
export const countMatching = async (
  { scan }: Scan,
  filter: ConnectionFilter,
): Promise<{ provider: string; connections: number }[]> => {
  const { where, values } = conditionsOf(filter);
  const rows = await scan<[string, number]>(
    `select provider, cast(count(*) as int) from connections where ${where} group by provider order by provider`,
    values,
  );
  return rows.map(([provider, connections]) => ({ provider, connections }));
};
