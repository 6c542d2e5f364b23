import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { Provider } from '../catalogue/provider.ts';
import { listConnectionsTo } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { scopesOf } from '../requests/authorization-url.ts';

/** Whether the provider supports revocation. Null if that depends on its issuer's discovery document. */
const isRevocable = (provider: Provider): boolean | null => {
  if (isKeyBased(provider)) return false;
  const { record } = provider;
  return 'authorize' in record || record.revoke !== undefined ? Boolean(record.revoke) : null;
};

/**
 * The scopes for connecting again. Null if the defaults are enough. Scopes beyond the defaults were chosen by a person,
 * and must not be lost when connecting again.
 */
const keepScopes = (asked: readonly string[], defaults: readonly string[]): string[] | null =>
  asked.every((scope) => defaults.includes(scope)) ? null : [...new Set([...defaults, ...asked])];

/** A team's setup for a provider. None of it is secret. */
export const getSetUp = async (
  { database, catalogue, clients }: IntegrationsContext,
  teamId: string,
  providerId: string,
) => {
  const provider = findProvider(catalogue, providerId);
  const client = await clients.find(teamId, providerId);
  const connections = await listConnectionsTo(database, teamId, providerId);
  const entered = Object.keys(provider.record.params ?? {});
  // A connection also keeps values that the provider sent. Return only values that a person entered.
  const pickParams = (known: Values): Values =>
    Object.fromEntries(Object.entries(known).filter(([name]) => entered.includes(name)));
  const defaults = isKeyBased(provider) ? [] : scopesOf(provider.record, client?.scopes ?? null);
  return {
    /** The client that a new connect uses. */
    client,
    operatorHasClient: clients.operatorHas(providerId),
    /**
     * The params and scopes for connecting again, by the connection's name. Scopes are null if the defaults are enough.
     */
    again: new Map(
      connections.map(({ name, details, scopesAsked }) => {
        const params = pickParams({ ...client?.params, ...details });
        return [name, { params, scopes: keepScopes(scopesAsked, defaults) }];
      }),
    ),
    /** The name of each connection, by its ID. */
    names: new Map(connections.map(({ id, name }) => [id, name])),
    /** The params of the team's own client. */
    params: pickParams(client?.params ?? {}),
    isRevocable: isRevocable(provider),
    /** Where a person can remove access at the provider, if that is known. */
    removal: provider.record.removal,
  };
};

export type SetUp = Awaited<ReturnType<typeof getSetUp>>;
