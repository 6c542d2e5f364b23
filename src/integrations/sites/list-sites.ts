import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import type { Connection } from '../connections/connection.ts';
import { openAccessToken } from '../connections/connection-tokens.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { listContained } from '../containment/consent-store.ts';
import { contained, notConfigured } from '../errors.ts';
import { getWorkingConnection, type WorkingContext } from '../refresh/working-connection.ts';
import type { ListedSite } from '../requests/chosen-site.ts';
import { connectTurnsIn } from '../requests/connect-turns.ts';
import { fetchSites, type ListedSites } from '../requests/fetch-holder.ts';
import { noSites, sitesUnlisted } from './errors.ts';

/** The connection whose sites are listed, and the user who asks. */
export type WantedSites = WantedConnection & { userId: string };

/** `checkCaller` throws if the caller has lost their rights. */
type Asking = { checkCaller(): Promise<void> };

const UNAUTHORIZED = 401;

const ask = async (context: WorkingContext, connection: Connection): Promise<ListedSites> => {
  const { catalogue, discover, clients, vault } = context;
  const { teamId, provider: id, clientOf, details } = connection;
  const entry = findProvider(catalogue, id);
  if (isKeyBased(entry)) throw noSites();
  const provider = await discover(entry);
  const client = await clients.open(teamId, id, clientOf);
  if (!client) throw notConfigured(settingsOf(id));
  const values = withDefaults(details, provider.record);
  // The issuer and the client may have taken long.
  if ((await listContained(context.database, [connection])).length > 0) throw contained();
  return fetchSites(context, { provider, client, values }, await openAccessToken(vault, connection));
};

/**
 * Asks the provider for the sites that the consent covers. Also returns the connection, which may have been refreshed
 * for this.
 */
export const listSites = async (
  context: WorkingContext,
  { userId, ...wanted }: WantedSites,
  { checkCaller }: Asking,
): Promise<{ connection: Connection; sites: ListedSite[] }> => {
  const entry = findProvider(context.catalogue, wanted.provider);
  if (isKeyBased(entry) || !entry.record.sites) throw noSites();
  return connectTurnsIn(context.database)({ teamId: wanted.teamId, userId }, async () => {
    await context.pause.check();
    const connection = await getWorkingConnection(context, wanted);
    const first = await ask(context, connection);
    const isRefused = first.failure?.httpStatus === UNAUTHORIZED && (await context.refresher.renew(connection));
    const current = isRefused ? await getWorkingConnection(context, connection) : connection;
    const { sites, failure } = isRefused ? await ask(context, current) : first;
    // A refresh and the list take as long as the provider does. Meanwhile, the caller may have lost access.
    await checkCaller();
    if (failure) throw sitesUnlisted(failure);
    return { connection: current, sites };
  });
};
