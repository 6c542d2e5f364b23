import { randomSecret } from '../../platform/index.ts';
import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { revealFields } from '../catalogue/client.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { listKeyFields } from '../catalogue/key-record.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { KeyProvider, OauthProvider, ResolvedProvider } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { lackedSettingsOf, neededSettingsOf } from '../catalogue/settings-of.ts';
import { notConfigured } from '../errors.ts';
import { buildAuthorizationUrl, scopesOf } from '../requests/authorization-url.ts';
import { checkAuthorizationPage } from './check-authorization-page.ts';
import { checkDiscovery } from './check-discovery.ts';
import type { CheckStep } from './check-step.ts';
import { checkWrongCode } from './check-wrong-code.ts';
import { checkWrongKey } from './check-wrong-key.ts';

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
  given: Values,
): Promise<CheckStep[]> => {
  const { id } = provider.record;
  const operator = context.operatorClients.get(id);
  if (!operator) throw notConfigured(neededSettingsOf(provider.record));
  const lacked = lackedSettingsOf(provider.record, operator);
  if (lacked.length > 0) throw notConfigured(lacked);
  const discovery = await checkDiscovery(context, provider);
  if (discovery.state === 'failed' && !('authorize' in provider.record)) return [discovery];
  const resolved: ResolvedProvider = await context.discover(provider);
  const { record } = resolved;
  const values = completeParams(record, given);
  const target = {
    provider: resolved,
    client: { ...operator, of: 'operator', params: {}, scopes: null },
    values,
  } as const;
  const redirectUri = redirectUriOf(context.url, id);
  const url = buildAuthorizationUrl(record, {
    ...{ clientId: operator.id, redirectUri, scopes: scopesOf(record, null) },
    values: { ...values, ...revealFields(operator) },
    ...{ state: randomSecret(), verifier: randomSecret() },
  });
  return [
    discovery,
    await checkAuthorizationPage(context, target, { url, redirectUri }),
    await checkWrongCode(context, target, redirectUri),
  ];
};

export type Checked = { name: string; steps: CheckStep[] };

/**
 * Tries an entry at the live provider with the operator's own client, as far as that is possible without a person: nothing
 * is ever granted.
 */
export const checkProvider = async (context: IntegrationsContext, id: string, given: Values): Promise<Checked> => {
  const provider = findProvider(context.catalogue, id);
  await context.pause.check();
  const steps = await (isKeyBased(provider)
    ? checkKeyEntry(context, provider, given)
    : checkOauthEntry(context, provider, given));
  return { name: provider.record.name, steps };
};
