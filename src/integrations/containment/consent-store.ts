import type { Queries } from '../../platform/index.ts';

/**
 * SQL that holds if the containment `k`, about a team or about all, is in force and stops a connection. `row` names a row
 * with `team_id`, `provider`, `id`, and `connected_at`. This is the only place that says what a containment stops.
 */
const stops = (row: string): string =>
  `k.lifted_at is null and k.stops_connections = 1 and (k.provider is null or k.provider = ${row}.provider)
    and ${row}.connected_at <= k.started_at
    and (k.connected_before is null or ${row}.connected_at < k.connected_before)
    and (k.token_id is null or exists (select 1 from contained_connections l
      where l.containment_id = k.id and l.connection_id = ${row}.id and l.connected_at = ${row}.connected_at))`;

/** The containments about all teams, and those about one. With `or`, SQLite would read those of all teams. */
const whoseOf = (row: string): readonly string[] => ['k.of_team_id is null', `k.of_team_id = ${row}.team_id`];

/** SQL for the ID of a containment in force that stops a connection, or null. */
export const containmentOf = (row: string): string => {
  const [ofAll, ofTeam] = whoseOf(row).map(
    (whose) => `(select k.id from containments k where ${whose} and ${stops(row)} limit 1)`,
  );
  return `coalesce(${ofAll}, ${ofTeam})`;
};

/** SQL that holds if a containment in force stops a connection and revokes its grant. */
export const isBeingRevoked = (row: string): string => {
  const [ofAll, ofTeam] = whoseOf(row).map(
    (whose) => `exists (select 1 from containments k where ${whose} and k.revokes = 1 and ${stops(row)})`,
  );
  return `(${ofAll} or ${ofTeam})`;
};

/** SQL for the containments in force that stop a row of `rows`, each with whether it revokes. */
export const LISTED_CONTAINMENTS = whoseOf('rows')
  .map((whose) => `select k.id, k.revokes from rows, containments k where ${whose} and ${stops('rows')}`)
  .join(' union all ');

/** A consent: of a connection, or of a connect that isn't stored yet, with the time at which it began. */
export type Consent = { teamId: string; provider: string; id: string; connectedAt: number };

const listWhere = async (
  queries: Queries,
  consents: readonly Consent[],
  condition: (row: string) => string,
): Promise<Consent[]> => {
  if (consents.length === 0) return [];
  const rows = await queries.allFrom<{ place: number }>(
    {
      columns: { place: 'bigint', id: 'text', team_id: 'text', provider: 'text', connected_at: 'bigint' },
      rows: consents.map(({ id, teamId, provider, connectedAt }, place) => [place, id, teamId, provider, connectedAt]),
    },
    `select place from rows where ${condition('rows')}`,
  );
  return rows.flatMap(({ place }) => consents[place] ?? []);
};

/** Lists which of these consents are stopped. */
export const listContained = (queries: Queries, consents: readonly Consent[]): Promise<Consent[]> =>
  listWhere(queries, consents, (row) => `${containmentOf(row)} is not null`);

type BegunConnect = { teamId: string; provider: string; begunAt: number };

/** Nothing that a connect brings was made with a token, because it's new. */
const toConsent = ({ teamId, provider, begunAt }: BegunConnect): Consent => ({
  ...{ id: '', teamId, provider, connectedAt: begunAt },
});

/** Whether a connect that began at a time is stopped. */
export const isConnectContained = async (queries: Queries, begun: BegunConnect): Promise<boolean> =>
  (await listContained(queries, [toConsent(begun)])).length > 0;

/** Whether a connect that began at a time is stopped, and its grant is to be revoked. */
export const isConnectRevoked = async (queries: Queries, begun: BegunConnect): Promise<boolean> =>
  (await listWhere(queries, [toConsent(begun)], isBeingRevoked)).length > 0;
