import { findProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import type { Provider } from '../catalogue/provider.ts';
import { getConnection } from '../connections/connection-store.ts';

/** Whether the provider supports revocation. Null if only its issuer can tell. */
const isRevocable = ({ record }: Provider): boolean | null =>
  'authorize' in record || record.revoke !== undefined ? Boolean(record.revoke) : null;

/** A team's setup for a provider, besides the connection itself. None of it is secret. */
export const getSetUp = async (
  { database, catalogue, clients }: IntegrationsContext,
  teamId: string,
  providerId: string,
) => {
  const provider = findProvider(catalogue, providerId);
  const client = await clients.find(teamId, providerId);
  const connection = await getConnection(database, teamId, providerId);
  const known = Object.entries({ ...client?.params, ...connection?.details });
  const names = Object.keys(provider.record.params ?? {});
  // A connection also keeps what the provider sent. Only what a person entered is returned.
  const params = Object.fromEntries(known.filter(([name]) => names.includes(name)));
  return {
    /** Which client a new connect would use. */
    client: client && { id: client.id, of: client.of, params: client.params },
    operatorHasClient: clients.operatorHas(providerId),
    /** What was entered when the team connected, or came with its own client. */
    params,
    isRevocable: isRevocable(provider),
  };
};

export type SetUp = Awaited<ReturnType<typeof getSetUp>>;
