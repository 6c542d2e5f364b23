import { isKeyBased } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { listKeyFields } from '../catalogue/key-record.ts';
import type { OauthProvider, Provider } from '../catalogue/provider.ts';
import { webhookUrlOf } from '../catalogue/provider-webhook.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { settingsOf, webhookSettingOf } from '../catalogue/settings-of.ts';
import { scopesOf } from '../requests/authorization-url.ts';

const NO_OAUTH: Record<'requiredScopes' | 'scopes' | 'settings', string[]> = {
  requiredScopes: [],
  scopes: [],
  settings: [],
};

/** Where the provider can say that access was withdrawn, and the setting that verifies it. */
const describeWebhook = (url: string, { record: { id, webhook } }: OauthProvider) =>
  webhook?.signature ? { url: webhookUrlOf(url, id), setting: webhookSettingOf(id) } : null;

const describeOauth = (url: string, provider: OauthProvider, ownScopes: readonly string[] | null) => {
  const { record } = provider;
  return {
    kind: 'oauth2' as const,
    fields: [],
    docs: null,
    requiredScopes: record.requiredScopes ?? [],
    scopes: scopesOf(record, ownScopes),
    callbackUrl: redirectUriOf(url, record.id),
    settings: settingsOf(record.id),
    webhook: describeWebhook(url, provider),
  };
};

const describeKind = (url: string, provider: Provider, ownScopes: readonly string[] | null) => {
  if (!isKeyBased(provider)) return describeOauth(url, provider, ownScopes);
  const { kind, docs } = provider.record;
  const fields = listKeyFields(provider.record).map(([name, { label, about, secret = true, ...limits }]) => {
    const { pattern = null, maxLength = null } = limits;
    return { name, label, about, secret, pattern, maxLength };
  });
  return { ...NO_OAUTH, callbackUrl: null, webhook: null, kind, fields, docs };
};

/** The catalog as a team sees it: what is set up, and what to do for the rest. */
export const listProviders = async ({ catalogue, clients, url }: IntegrationsContext, teamId: string) => {
  const own = await clients.listOwn(teamId);
  return [...catalogue.values()].map((provider) => {
    const { record } = provider;
    const {
      id,
      name,
      category = 'other',
      popular = provider.custom,
      developerUrl = null,
      retired,
      params = {},
      api,
    } = record;
    return {
      ...{ id, name, category, popular, developerUrl, retired: retired?.reason ?? null },
      configured: !retired && (isKeyBased(provider) || own.has(id) || clients.operatorHas(id)),
      ownCredentials: own.has(id),
      params: Object.entries(params).map(([param, { about, pattern, example, default: standard = null }]) => {
        return { name: param, about, pattern, example, default: standard };
      }),
      ...describeKind(url, provider, own.get(id)?.scopes ?? null),
      api: api ? { url: api.url, hosts: api.hosts ?? {} } : null,
    };
  });
};

export type ListedProvider = Awaited<ReturnType<typeof listProviders>>[number];
