import { type Queries, toIso, toIsoOrNull } from '../../platform/index.ts';
import { callerRemoved, getTeam, type User } from '../../teams/index.ts';
import { isKeyBased } from '../catalogue/catalogue.ts';
import type { Catalogue, Provider } from '../catalogue/provider.ts';
import { CONTAINED } from '../containment/containment.ts';
import type { IntegrationsContext } from '../context.ts';
import { lacksSite } from '../requests/chosen-site.ts';
import { type ConnectionKey, hasExpired, type ListedConnection, missingScopes } from './connection.ts';
import { DEFAULT_CONNECTION } from './connection-name.ts';
import { listConnections } from './connection-store.ts';
import { listNamedUsers, type NamedUser, nameUser, unnamedUser } from './named-user.ts';

/** The context without `forgetStatus`, which empties the cache below, and without what is made after it. */
export type StatusContext = Omit<IntegrationsContext, 'forgetStatus' | 'onConnectionEnded'>;

/** The maximum age of a cached status, so that changes by another process are visible within a second. */
const FRESH_MS = 800;
const MOST_TEAMS = 5_000;

const DISCONNECTED = {
  status: 'disconnected',
  reason: null,
  account: null,
  installation: null,
  site: null,
  siteNeeded: false,
  scopes: [],
  missingScopes: [],
  connectedAt: null,
  connectedBy: null,
  expiresAt: null,
  reconnectBefore: null,
  lastRefreshedAt: null,
  lastUsedAt: null,
  lastError: null,
  troubleSince: null,
  nextTryAt: null,
  refreshFailures: 0,
} as const;

/** What people read of a connection that a containment stops. It works again once that is lifted. */
const STOPPED = 'Access is stopped because something may have leaked. Connect again, or wait until it is lifted.';

/**
 * The status and its reason. A token that has expired and can't be refreshed doesn't work, even if nobody has tried it
 * since, and neither does one that is contained.
 */
const standingOf = (
  connection: ListedConnection,
  now: number,
): Pick<ListedConnection, 'status' | 'reason'> & { lastError?: string } => {
  const { status, reason, refreshDueAt, containedBy } = connection;
  if (containedBy !== null && reason !== CONTAINED)
    return { status: 'needs_reconnect', reason: CONTAINED, lastError: STOPPED };
  const hasRunOut = status === 'connected' && refreshDueAt === null && hasExpired(connection, now);
  return hasRunOut ? { status: 'needs_reconnect', reason: 'expired' } : { status, reason };
};

/** The provider's name, or its ID if it's no longer in the catalogue. */
export const providerNameOf = (catalogue: Catalogue, provider: string): string =>
  catalogue.get(provider)?.record.name ?? provider;

/** The chosen site, and whether one still has to be chosen. */
const siteOf = (connection: ListedConnection, entry: Provider | undefined) => {
  if (!entry || isKeyBased(entry)) return { site: null, siteNeeded: false };
  const { site } = connection;
  const isChosen = Boolean(entry.record.sites) && site?.state === 'chosen';
  return {
    site: isChosen ? { id: site.id, label: site.label } : null,
    siteNeeded: lacksSite(entry.record, connection),
  };
};

const toConnected = (connection: ListedConnection, catalogue: Catalogue, now: number) => {
  const { provider } = connection;
  const standing = standingOf(connection, now);
  return {
    provider,
    connection: connection.name,
    name: providerNameOf(catalogue, provider),
    status: standing.status,
    reason: standing.reason,
    account: { id: connection.accountId, label: connection.accountLabel },
    installation: connection.installationId === null ? null : { id: connection.installationId },
    ...siteOf(connection, catalogue.get(provider)),
    scopes: connection.scopesGranted ?? connection.scopesAsked,
    missingScopes: missingScopes(connection),
    connectedAt: toIso(connection.connectedAt),
    expiresAt: toIsoOrNull(connection.expiresAt),
    reconnectBefore: standing.status === 'needs_reconnect' ? null : toIsoOrNull(connection.reconnectBefore),
    lastRefreshedAt: toIsoOrNull(connection.refreshedAt),
    lastUsedAt: toIsoOrNull(connection.usedAt),
    lastError: standing.lastError ?? connection.lastError,
    troubleSince: toIsoOrNull(connection.troubleSince),
    nextTryAt:
      connection.status === 'connected' || connection.containedBy !== null
        ? null
        : toIsoOrNull(connection.refreshDueAt),
    refreshFailures: connection.failures,
  };
};

type Connected = ReturnType<typeof toConnected>;
export type Integration =
  | ({ provider: string; connection: string; name: string } & typeof DISCONNECTED)
  | (Connected & { connectedBy: NamedUser });

const toIntegration = (
  connection: ListedConnection,
  catalogue: Catalogue,
  now: number,
  starters: ReadonlyMap<string, NamedUser>,
): Integration => {
  const { connectedBy: id } = connection;
  return { ...toConnected(connection, catalogue, now), connectedBy: starters.get(id) ?? unnamedUser(id) };
};

/** Describes a connection that was removed, or never existed. */
export const describeDisconnected = (
  { catalogue }: Pick<StatusContext, 'catalogue'>,
  { provider, name }: Omit<ConnectionKey, 'teamId'>,
): Integration => ({ provider, connection: name, name: providerNameOf(catalogue, provider), ...DISCONNECTED });

/** Describes a connection as the status lists it. `starter` is the user who connected it, if already read. */
export const describeConnection = async (
  { clock, catalogue }: Pick<StatusContext, 'clock' | 'catalogue'>,
  queries: Queries,
  connection: ListedConnection,
  starter: User | null,
): Promise<Integration> => {
  const { teamId, connectedBy } = connection;
  const starters = starter
    ? new Map([[connectedBy, nameUser(starter)]])
    : await listNamedUsers(queries, teamId, [connectedBy]);
  return toIntegration(connection, catalogue, clock.now(), starters);
};

export const listConnected = async (
  { database, clock, catalogue }: StatusContext,
  teamId: string,
): Promise<Connected[]> => {
  const now = clock.now();
  return (await listConnections(database, teamId)).map((connection) => toConnected(connection, catalogue, now));
};

/**
 * Whether a provider is listed even without a connection. An OAuth provider is listed if someone has set it up.
 * Providers with keys need no setup, and there are hundreds, so they're listed only if the operator's file contains
 * them.
 */
const isOffered = ([id, entry]: [string, Provider], { clients }: StatusContext, own: ReadonlyMap<string, unknown>) =>
  isKeyBased(entry) ? entry.named === true && !entry.record.retired : clients.operatorHas(id) || own.has(id);

/** Returns every connection of the team, and every provider that someone has set up for it. */
export const getStatus = async (
  context: StatusContext,
  teamId: string,
): Promise<{ team: { id: string; name: string }; integrations: Integration[] }> => {
  const { database, clock, catalogue, clients } = context;
  const now = clock.now();
  const [team, rows, own] = await Promise.all([
    getTeam(database, teamId),
    listConnections(database, teamId),
    clients.listOwn(teamId),
  ]);
  // A deleted team's access tokens and sessions are cached for up to a second, so its requests can still get here.
  if (!team) throw callerRemoved();
  const connections = Map.groupBy(rows, ({ provider }) => provider);
  const userIds = rows.map(({ connectedBy }) => connectedBy);
  const starters = await listNamedUsers(database, teamId, userIds);
  const offered = [...catalogue].filter((one) => isOffered(one, context, own)).map(([id]) => id);
  const ids = [...new Set([...offered, ...connections.keys()])].sort();
  const integrations = ids.flatMap((provider): Integration[] => {
    const connected = connections.get(provider);
    if (!connected) return [describeDisconnected({ catalogue }, { provider, name: DEFAULT_CONNECTION })];
    return connected.map((connection) => toIntegration(connection, catalogue, now, starters));
  });
  return { team: { id: team.id, name: team.name }, integrations };
};

/**
 * Limits a status to the providers of a connect session. Providers with keys are added if they're missing, because they
 * need no setup.
 */
export const narrowStatus = (
  { catalogue }: Pick<StatusContext, 'catalogue'>,
  integrations: readonly Integration[],
  providers: readonly string[],
): Integration[] => {
  const wanted = new Set(providers);
  const shown = integrations.filter(({ provider }) => wanted.has(provider));
  const listed = new Set(shown.map(({ provider }) => provider));
  const added = [...wanted].filter((id) => {
    const entry = catalogue.get(id);
    return entry && isKeyBased(entry) && !entry.record.retired && !listed.has(id);
  });
  const unconnected = added.map((provider) =>
    describeDisconnected({ catalogue }, { provider, name: DEFAULT_CONNECTION }),
  );
  return [...shown, ...unconnected].sort((a, b) => (a.provider < b.provider ? -1 : a.provider > b.provider ? 1 : 0));
};

export const getIntegration = async (
  context: StatusContext,
  { teamId, provider, name }: ConnectionKey,
): Promise<Integration> => {
  const { integrations } = await getStatus(context, teamId);
  const found = integrations.find((one) => one.provider === provider && one.connection === name);
  // Someone may have just removed the connection.
  return found ?? describeDisconnected(context, { provider, name });
};

/**
 * Caches each team's status for less than a second, as the bytes that are sent. Requests share the result of a query in
 * progress.
 */
export const createStatusBoard = (context: StatusContext) => {
  const { clock } = context;
  let known = new Map<string, { at: number; bytes: Buffer | Promise<Buffer> }>();

  return {
    bytesOf(teamId: string): Buffer | Promise<Buffer> {
      const now = clock.now();
      const found = known.get(teamId);
      if (found && now >= found.at && now - found.at < FRESH_MS) return found.bytes;
      if (known.size >= MOST_TEAMS) known = new Map();
      const looking = getStatus(context, teamId).then((status) => Buffer.from(JSON.stringify(status)));
      // Store the pending result right away. If `forget` is called before it arrives, `forget` removes this entry, and
      // the next request queries the database again.
      const place: { at: number; bytes: Buffer | Promise<Buffer> } = { at: now, bytes: looking };
      known.set(teamId, place);
      looking.then(
        (bytes) => {
          place.bytes = bytes;
        },
        () => known.get(teamId) === place && known.delete(teamId),
      );
      return looking;
    },
    /** Empties a team's cache. Call it after a change to its connections or clients in this process. */
    forget: (teamId: string): void => void known.delete(teamId),
  };
};
