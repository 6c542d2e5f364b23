import { findProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { Provider } from '../catalogue/provider.ts';
import { listConnectionsTo } from '../connections/connection-store.ts';

/** Whether the provider supports revocation. Null if only its issuer can tell. */
const isRevocable = ({ record }: Provider): boolean | null =>
  'authorize' in record || record.revoke !== undefined ? Boolean(record.revoke) : null;

/** A team's setup for a provider, besides its connections. None of it is secret. */
export const getSetUp = async (
  { database, catalogue, clients }: IntegrationsContext,
  teamId: string,
  providerId: string,
) => {
  const provider = findProvider(catalogue, providerId);
  const client = await clients.find(teamId, providerId);
  const connections = await listConnectionsTo(database, teamId, providerId);
  const names = Object.keys(provider.record.params ?? {});
  // A connection also keeps what the provider sent. Only what a person entered is returned.
  const pickParams = (known: Values): Values =>
    Object.fromEntries(Object.entries(known).filter(([name]) => names.includes(name)));
  return {
    /** Which client a new connect would use. */
    client,
    operatorHasClient: clients.operatorHas(providerId),
    /** By the connection's name: what was entered to connect it, or came with the team's own client. */
    paramsOf: new Map(connections.map(({ name, details }) => [name, pickParams({ ...client?.params, ...details })])),
    /** The same for a new connection. */
    params: pickParams(client?.params ?? {}),
    isRevocable: isRevocable(provider),
  };
};

export type SetUp = Awaited<ReturnType<typeof getSetUp>>;
