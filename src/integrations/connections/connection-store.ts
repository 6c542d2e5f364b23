import type { Queries, Value } from '../../platform/index.ts';
import { containmentOf } from '../containment/consent-store.ts';
import type { Connection, ConnectionKey, ListedConnection } from './connection.ts';
import { compareNames } from './connection-name.ts';

type Row = Omit<Connection, 'details' | 'site' | 'scopesAsked' | 'scopesGranted' | 'refusal'> & {
  details: string;
  site: string | null;
  scopesAsked: string;
  scopesGranted: string | null;
  refusal: string | null;
};

/** Field of a connection → its column. `containedBy` isn't stored with the connection. */
const COLUMNS = {
  id: 'id',
  teamId: 'team_id',
  provider: 'provider',
  name: 'name',
  generation: 'generation',
  status: 'status',
  reason: 'reason',
  accountId: 'account_id',
  accountLabel: 'account_label',
  installationId: 'installation_id',
  accountFrom: 'account_from',
  details: 'details',
  site: 'site',
  clientId: 'client_id',
  clientOf: 'client_of',
  authority: 'authority',
  scopesAsked: 'scopes_asked',
  scopesGranted: 'scopes_granted',
  accessToken: 'access_token',
  refreshToken: 'refresh_token',
  expiresAt: 'expires_at',
  refreshExpiresAt: 'refresh_expires_at',
  reconnectBefore: 'reconnect_before',
  connectedAt: 'connected_at',
  connectedBy: 'connected_by',
  refreshedAt: 'refreshed_at',
  lastError: 'last_error',
  failures: 'failures',
  troubleSince: 'trouble_since',
  refusal: 'refusal',
  refreshDueAt: 'refresh_due_at',
  leaseOwner: 'lease_owner',
  leaseNumber: 'lease_number',
  leaseUntil: 'lease_until',
  refreshBegunAt: 'refresh_begun_at',
  usedAt: 'used_at',
  renewedAt: 'renewed_at',
  verifyDueAt: 'verify_due_at',
  verifiedAt: 'verified_at',
  handedOutAt: 'handed_out_at',
} as const satisfies Record<Exclude<keyof Connection, 'containedBy'>, string>;

const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
/** No list of scopes that is stored now exceeds this. One that does is from before the limit, and is read as null. */
const MOST_SCOPE_BYTES = 10_000;
const SCOPES_GRANTED = `case when octet_length(scopes_granted) <= ${MOST_SCOPE_BYTES} then scopes_granted end`;
const CONTAINED_BY = `${containmentOf('connections')} as "containedBy"`;
const readFrom = (field: keyof typeof COLUMNS): string =>
  `${field === 'scopesGranted' ? SCOPES_GRANTED : COLUMNS[field]} as "${field}"`;
const SELECTED = [...FIELDS.map(readFrom), CONTAINED_BY].join(', ');
const LISTED = [
  ...FIELDS.filter((field) => field !== 'accessToken' && field !== 'refreshToken').map(readFrom),
  CONTAINED_BY,
].join(', ');
const NAMES = FIELDS.map((field) => COLUMNS[field]).join(', ');
const PLACES = FIELDS.map((_, index) => `$${index + 1}`).join(', ');

type ListedRow = Omit<Row, 'accessToken' | 'refreshToken'>;

const toListed = ({ details, site, scopesAsked, scopesGranted, refusal, ...row }: ListedRow): ListedConnection => ({
  ...row,
  details: JSON.parse(details),
  site: site === null ? null : JSON.parse(site),
  scopesAsked: JSON.parse(scopesAsked),
  scopesGranted: scopesGranted === null ? null : JSON.parse(scopesGranted),
  refusal: refusal === null ? null : JSON.parse(refusal),
});

const toConnection = ({ accessToken, refreshToken, ...row }: Row): Connection => ({
  ...toListed(row),
  accessToken,
  refreshToken,
});

const toValue = (value: Connection[keyof typeof COLUMNS]): Value =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

const OF_KEY = 'team_id = $1 and provider = $2 and name = $3';

/**
 * Reads a connection. With a lock, it's locked first and read then: what was contained while this waited for the lock is
 * visible only to a later statement.
 */
export const getConnection = async (
  queries: Queries,
  { teamId, provider, name }: ConnectionKey,
  lock: '' | 'for update' = '',
) => {
  const values = [teamId, provider, name];
  if (lock !== '') await queries.get(`select id from connections where ${OF_KEY} ${lock}`, values);
  const row = await queries.get<Row>(`select ${SELECTED} from connections where ${OF_KEY}`, values);
  return row && toConnection(row);
};

const compare = (one: ListedConnection, other: ListedConnection): number => {
  if (one.provider === other.provider) return compareNames(one.name, other.name);
  return one.provider < other.provider ? -1 : 1;
};

const LIST = `select ${LISTED} from connections where team_id = $1`;

/** Lists a team's connections by provider, with `default` first for each. */
export const listConnections = async (queries: Queries, teamId: string): Promise<ListedConnection[]> =>
  (await queries.all<ListedRow>(LIST, [teamId])).map(toListed).sort(compare);

/** Lists a team's connections to one provider, `default` first. */
export const listConnectionsTo = async (
  queries: Queries,
  teamId: string,
  provider: string,
): Promise<ListedConnection[]> =>
  (await queries.all<ListedRow>(`${LIST} and provider = $2`, [teamId, provider])).map(toListed).sort(compare);

/** Lists the names of a team's connections to one provider, `default` first. */
export const listConnectionNames = async (queries: Queries, teamId: string, provider: string): Promise<string[]> => {
  const sql = 'select name from connections where team_id = $1 and provider = $2';
  const rows = await queries.all<{ name: string }>(sql, [teamId, provider]);
  return rows.map(({ name }) => name).sort(compareNames);
};

export const countConnectionsOfTeam = async (queries: Queries, teamId: string): Promise<number> => {
  const row = await queries.get<{ n: number }>('select count(*) as n from connections where team_id = $1', [teamId]);
  return row?.n ?? 0;
};

/** Returns 0 if the team already has a connection to this provider under this name. */
export const insertConnection = (queries: Queries, connection: Connection): Promise<number> =>
  queries.run(
    `insert into connections (${NAMES}) values (${PLACES}) on conflict do nothing`,
    FIELDS.map((field) => toValue(connection[field])),
  );

/** Identifies a connection as it was read. Anything written since then must not be overwritten. */
type AsRead = Pick<Connection, 'teamId' | 'id' | 'generation'>;
export type ConnectionChanges = Partial<Omit<Connection, 'id' | 'containedBy' | keyof ConnectionKey>>;

/**
 * Changes a connection that is still as it was read. Returns 0 if it's gone or has a newer generation, or if
 * `leaseNumber` is given and someone else has taken the lease since. Setting the lease's end to null gives the lease
 * back.
 */
export const changeConnection = (
  queries: Queries,
  { teamId, id, generation }: AsRead,
  changes: ConnectionChanges,
  leaseNumber: number | null = null,
): Promise<number> => {
  const fields = FIELDS.filter((field) => field in changes);
  const sets = fields.map((field, index) => `${COLUMNS[field]} = $${index + 5}`);
  const values = fields.map((field) => toValue(changes[field as keyof ConnectionChanges] as never));
  return queries.run(
    `update connections set ${sets.join(', ')} where team_id = $1 and id = $2 and generation = $3
      and lease_number = coalesce($4, lease_number)`,
    [teamId, id, generation, leaseNumber, ...values],
  );
};

/** Deletes the row, and the tokens with it. Returns 0 if the row has changed since it was read. */
export const deleteConnection = (queries: Queries, { teamId, id, generation }: AsRead): Promise<number> =>
  queries.run('delete from connections where team_id = $1 and id = $2 and generation = $3', [teamId, id, generation]);

/**
 * Takes the lease if nobody holds it, nobody has taken it since the row was read, and nothing stops the connection. Returns the lease's new number, or
 * null if the lease wasn't taken. Also sets `refresh_begun_at`, but keeps the time of an earlier refresh whose result
 * wasn't stored, because the token's grace period started with that refresh.
 */
export const takeLease = async (
  queries: Queries,
  { teamId, id, generation, leaseNumber }: AsRead & Pick<Connection, 'leaseNumber'>,
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<number | null> => {
  const row = await queries.get<{ leaseNumber: number }>(
    `update connections set lease_owner = $4, lease_until = $5, lease_number = lease_number + 1,
        refresh_begun_at = coalesce(refresh_begun_at, $6)
      where team_id = $1 and id = $2 and generation = $3 and lease_number = $7
        and (lease_until is null or lease_until <= $6) and ${containmentOf('connections')} is null
      returning lease_number as "leaseNumber"`,
    [teamId, id, generation, owner, until, now, leaseNumber],
  );
  return row?.leaseNumber ?? null;
};

/**
 * Makes a connection due for a refresh, because the provider has refused its access token. Returns 0 if it was made due
 * a moment ago, or if it has changed since it was read.
 */
export const makeDue = (
  queries: Queries,
  { teamId, id, generation }: AsRead,
  { now, notSince }: { now: number; notSince: number },
): Promise<number> =>
  queries.run(
    `update connections set refresh_due_at = $4, renewed_at = $4 where team_id = $1 and id = $2 and generation = $3
      and (renewed_at is null or renewed_at <= $5 or renewed_at > $4)`,
    [teamId, id, generation, now, notSince],
  );

/**
 * Corrects tokens, in all teams, that were stored while the clock was ahead, and so seem to be from the future. They
 * become due for a refresh, and their lifetimes start now.
 */
export const pullBackTokens = (queries: Queries, now: number, slackMs: number): Promise<number> =>
  queries.run(
    `update connections set refresh_due_at = $1, refreshed_at = $1,
        connected_at = case when connected_at > $1 then $1 else connected_at end,
        expires_at = $1 + expires_at - coalesce(refreshed_at, connected_at),
        refresh_expires_at = $1 + refresh_expires_at - coalesce(refreshed_at, connected_at)
      where refresh_due_at > $1 and coalesce(refreshed_at, connected_at) > $2`,
    [now, now + slackMs],
  );

/** Stops a team's refreshes and verifications. Those in progress continue. */
export const stopRefreshes = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('update connections set refresh_due_at = null, verify_due_at = null where team_id = $1', [teamId]);

/** Makes this user the creator of all the team's connections, because the users who connected them are being erased. */
export const giveConnectionsTo = (queries: Queries, teamId: string, userId: string): Promise<number> =>
  queries.run('update connections set connected_by = $2 where team_id = $1', [teamId, userId]);
