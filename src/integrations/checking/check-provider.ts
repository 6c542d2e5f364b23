import { randomSecret } from '../../platform/index.ts';
import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { type Client, revealFields } from '../catalogue/client.ts';
import { listKeyFields } from '../catalogue/key-record.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { KeyProvider, OauthProvider, Provider, ResolvedProvider } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { lackedSettingsOf, neededSettingsOf } from '../catalogue/settings-of.ts';
import type { IntegrationsContext } from '../context.ts';
import { notConfigured } from '../errors.ts';
import { buildAuthorizationUrl, scopesOf } from '../requests/authorization-url.ts';
import { checkAuthorizationPage } from './check-authorization-page.ts';
import { checkDiscovery } from './check-discovery.ts';
import { type CheckStep, notPassed } from './check-step.ts';
import { checkWrongCode } from './check-wrong-code.ts';
import { checkWrongKey } from './check-wrong-key.ts';
import { watchReach } from './watch-reach.ts';

const checkKeyEntry = async (
  context: IntegrationsContext,
  provider: KeyProvider,
  given: Values,
): Promise<CheckStep[]> => {
  const { record } = provider;
  const fields = new Set<string>(listKeyFields(record).map(([name]) => name));
  const params = Object.fromEntries(Object.entries(given).filter(([name]) => !fields.has(name)));
  return [await checkWrongKey(context, provider, { ...given, ...completeParams(record, params) })];
};

const checkOauthEntry = async (
  context: IntegrationsContext,
  provider: OauthProvider,
  client: Client | null,
  given: Values,
): Promise<CheckStep[]> => {
  if (!client) throw notConfigured(neededSettingsOf(provider.record));
  const discovery = checkDiscovery(context, provider);
  if (!('authorize' in provider.record) && (await discovery).state === 'failed') return [await discovery];
  const resolved: ResolvedProvider = await context.discover(provider);
  const { record } = resolved;
  const values = completeParams(record, given);
  const target = { provider: resolved, client, values };
  const redirectUri = redirectUriOf(context.url, record.id);
  const url = buildAuthorizationUrl(record, {
    ...{ clientId: client.id, redirectUri, scopes: scopesOf(record, client.scopes) },
    values: { ...values, ...revealFields(client) },
    ...{ state: randomSecret(), verifier: randomSecret() },
  });
  return Promise.all([
    discovery,
    checkAuthorizationPage(context, target, { url, redirectUri }),
    checkWrongCode(context, target, redirectUri),
  ]);
};

/**
 * Opens the client to check with: the team's own, or else the operator's. If `teamId` is null, only the operator's.
 * Null if the provider needs no client.
 */
export const openClient = async (
  { clients }: Pick<IntegrationsContext, 'clients'>,
  provider: Provider,
  teamId: string | null,
): Promise<Client | null> => {
  if (isKeyBased(provider)) return null;
  const { record } = provider;
  const own = teamId === null ? null : await clients.open(teamId, record.id, 'team');
  const client = own ?? (await clients.open(teamId ?? '', record.id, 'operator'));
  if (!client) throw notConfigured(neededSettingsOf(record));
  const lacked = lackedSettingsOf(record, client);
  if (lacked.length > 0) throw notConfigured(lacked);
  return client;
};

const cutOff = (name: string): CheckStep =>
  notPassed(
    'connection',
    'failed',
    `No connection to ${name} at all. This machine may have no internet connection, or a firewall may be in the way. Check that first: until then, nothing can be said about ${name}.`,
  );

/**
 * Runs every check. If all requests failed before a network connection was made, returns a single result that says so,
 * because it explains all others.
 */
export const checkSteps = async (
  context: IntegrationsContext,
  provider: Provider,
  client: Client | null,
  given: Values,
): Promise<CheckStep[]> => {
  const { outbound, isCutOff } = watchReach(context.outbound);
  const watched = { ...context, outbound };
  const steps = isKeyBased(provider)
    ? await checkKeyEntry(watched, provider, given)
    : await checkOauthEntry(watched, provider, client, { ...client?.params, ...given });
  const isReached = steps.some(({ state }) => state === 'passed');
  return isCutOff() && !isReached ? [cutOff(provider.record.name)] : steps;
};

export type Checked = { name: string; steps: CheckStep[] };

/**
 * Tries an entry with the real provider and the operator's own client, as far as that is possible without a person.
 * Nothing is ever granted.
 */
export const checkProvider = async (context: IntegrationsContext, id: string, given: Values): Promise<Checked> => {
  const provider = findProvider(context.catalogue, id);
  await context.pause.check();
  const client = await openClient(context, provider, null);
  return { name: provider.record.name, steps: await checkSteps(context, provider, client, given) };
};
