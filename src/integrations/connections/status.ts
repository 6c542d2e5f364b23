import { type Clock, type Database, toIso, toIsoOrNull } from '../../platform/index.ts';
import { getTeam, getUser } from '../../teams/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Clients } from '../clients/clients.ts';
import { type Connection, hasExpired, missingScopes } from './connection.ts';
import { listConnections } from './connection-store.ts';

export type StatusDependencies = { database: Database; clock: Clock; catalogue: Catalogue; clients: Clients };

/** How old a response may be. What another process wrote is seen within a second. */
const FRESH_MS = 800;
const MOST_TEAMS = 5_000;

const disconnected = (provider: string, name: string) => ({
  provider,
  name,
  status: 'disconnected' as const,
  reason: null,
  account: null,
  scopes: [],
  missingScopes: [],
  connectedAt: null,
  connectedBy: null,
  expiresAt: null,
  reconnectBefore: null,
  lastRefreshedAt: null,
  lastError: null,
  troubleSince: null,
  nextTryAt: null,
  refreshFailures: 0,
});

type Person = { id: string; label: string };

/** A token that has expired and can't be refreshed no longer works, whether or not anyone has tried. */
const hasRunOut = (connection: Connection, now: number): boolean =>
  connection.status === 'connected' && connection.refreshDueAt === null && hasExpired(connection, now);

const standingOf = (connection: Connection, now: number): Pick<Connection, 'status' | 'reason'> =>
  hasRunOut(connection, now)
    ? { status: 'needs_reconnect', reason: 'expired' }
    : { status: connection.status, reason: connection.reason };

const toConnected = (connection: Connection, name: string, now: number) => ({
  provider: connection.provider,
  name,
  ...standingOf(connection, now),
  account: { id: connection.accountId, label: connection.accountLabel },
  scopes: connection.scopesGranted ?? connection.scopesAsked,
  missingScopes: missingScopes(connection),
  connectedAt: toIso(connection.connectedAt),
  expiresAt: toIsoOrNull(connection.expiresAt),
  reconnectBefore:
    standingOf(connection, now).status === 'needs_reconnect' ? null : toIsoOrNull(connection.reconnectBefore),
  lastRefreshedAt: toIsoOrNull(connection.refreshedAt),
  lastError: connection.lastError,
  troubleSince: toIsoOrNull(connection.troubleSince),
  nextTryAt: connection.status === 'connected' ? null : toIsoOrNull(connection.refreshDueAt),
  refreshFailures: connection.failures,
});

type Connected = ReturnType<typeof toConnected>;
export type Integration = ReturnType<typeof disconnected> | (Connected & { connectedBy: Person });
export type TeamStatus = { team: { id: string; name: string }; integrations: Integration[] };

const getPerson = async (database: Database, teamId: string, id: string): Promise<Person> => {
  const user = await getUser(database, teamId, id);
  return { id, label: user?.email ?? user?.name ?? id };
};

const listPeople = async (database: Database, teamId: string, ids: Iterable<string>): Promise<Map<string, Person>> => {
  const people = await Promise.all([...new Set(ids)].map((id) => getPerson(database, teamId, id)));
  return new Map(people.map((person) => [person.id, person]));
};

const nameOf = (catalogue: Catalogue, provider: string): string => catalogue.get(provider)?.record.name ?? provider;

/** The team's connections and their state. */
export const listConnected = async (
  { database, clock, catalogue }: Pick<StatusDependencies, 'database' | 'clock' | 'catalogue'>,
  teamId: string,
): Promise<Connected[]> => {
  const now = clock.now();
  const connections = await listConnections(database, teamId);
  return connections.map((connection) => toConnected(connection, nameOf(catalogue, connection.provider), now));
};

/** Every provider that the team could connect, and every connection it has. */
export const getStatus = async (
  { database, clock, catalogue, clients }: StatusDependencies,
  teamId: string,
): Promise<TeamStatus> => {
  const now = clock.now();
  const [team, rows, own] = await Promise.all([
    getTeam(database, teamId),
    listConnections(database, teamId),
    clients.listOwn(teamId),
  ]);
  if (!team) throw new Error("The caller's team does not exist.");
  const connections = new Map(rows.map((row) => [row.provider, row]));
  const people = await listPeople(
    database,
    teamId,
    rows.map(({ connectedBy }) => connectedBy),
  );
  const configured = [...catalogue.keys()].filter((id) => clients.operatorHas(id) || own.has(id));
  const ids = [...new Set([...configured, ...connections.keys()])].sort();
  const integrations = ids.map((id) => {
    const name = nameOf(catalogue, id);
    const connection = connections.get(id);
    if (!connection) return disconnected(id, name);
    const { connectedBy } = connection;
    const person = people.get(connectedBy) ?? { id: connectedBy, label: connectedBy };
    return { ...toConnected(connection, name, now), connectedBy: person };
  });
  return { team: { id: team.id, name: team.name }, integrations };
};

/** Caches each team's status for less than a second, as the bytes that are sent. */
export const createStatusBoard = (dependencies: StatusDependencies) => {
  const { clock } = dependencies;
  let known = new Map<string, { at: number; bytes: Buffer }>();

  return {
    bytesOf(teamId: string): Buffer | Promise<Buffer> {
      const now = clock.now();
      const found = known.get(teamId);
      if (found && now >= found.at && now - found.at < FRESH_MS) return found.bytes;
      if (known.size >= MOST_TEAMS) known = new Map();
      // Forgetting during this look-up removes the place, so that a response from before a change isn't kept.
      const place = { at: Number.NEGATIVE_INFINITY, bytes: Buffer.alloc(0) };
      known.set(teamId, place);
      return getStatus(dependencies, teamId).then((status) => {
        place.bytes = Buffer.from(JSON.stringify(status));
        place.at = now;
        return place.bytes;
      });
    },
    /** Call after a change in this process. */
    forget: (teamId: string): void => void known.delete(teamId),
  };
};

export type StatusBoard = ReturnType<typeof createStatusBoard>;
