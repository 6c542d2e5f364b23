import { isKeyBased } from '../catalogue/catalogue.ts';
import { listKeyFields } from '../catalogue/key-record.ts';
import type { Catalogue, OauthProvider, Provider } from '../catalogue/provider.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { fieldSettingOf, neededSettingsOf, usesPrivateKey, webhookSettingOf } from '../catalogue/settings-of.ts';
import { webhookUrlOf } from '../catalogue/webhook/webhook.ts';
import type { IntegrationsContext } from '../context.ts';
import { providerCursorInvalid } from '../errors.ts';
import { scopesOf } from '../requests/authorization-url.ts';
import { siteWordOf } from '../requests/chosen-site.ts';
import { findByWords } from './find-by-words.ts';

const NO_OAUTH: Record<'requiredScopes' | 'scopes' | 'settings', string[]> = {
  requiredScopes: [],
  scopes: [],
  settings: [],
};

/** The URL where the operator's OAuth app can receive webhooks, how that is set up, and the setting for the secret. */
const describeWebhook = (url: string, { record: { id, webhook } }: OauthProvider) => {
  if (!webhook?.operator) return null;
  const { operator, secretOf, withdrawn } = webhook;
  return {
    ...{ url: webhookUrlOf(url, id), setting: webhookSettingOf(id), about: operator.about },
    /** Whether the client secret signs, so that the setting isn't needed. */
    byClientSecret: secretOf === 'client',
    reportsWithdrawal: withdrawn !== undefined,
  };
};

const describeOauth = (url: string, provider: OauthProvider, ownScopes: readonly string[] | null) => {
  const { record } = provider;
  return {
    kind: 'oauth2' as const,
    fields: [],
    clientFields: Object.entries(record.clientFields ?? {}).map(([name, { label, about, secret = true }]) => {
      return { name, label, about, secret, setting: fieldSettingOf(record.id, name) };
    }),
    docs: null,
    requiredScopes: record.requiredScopes ?? [],
    scopes: scopesOf(record, ownScopes),
    callbackUrl: redirectUriOf(url, record.id),
    settings: neededSettingsOf(record),
    privateKey: usesPrivateKey(record),
    webhook: describeWebhook(url, provider),
    sites: siteWordOf(record),
  };
};

const describeKind = (url: string, provider: Provider, ownScopes: readonly string[] | null) => {
  if (!isKeyBased(provider)) return describeOauth(url, provider, ownScopes);
  const { kind, docs } = provider.record;
  const fields = listKeyFields(provider.record).map(([name, { label, about, secret = true, ...limits }]) => {
    const { pattern = null, maxLength = null } = limits;
    return { name, label, about, secret, pattern, maxLength };
  });
  return {
    ...NO_OAUTH,
    clientFields: [],
    callbackUrl: null,
    webhook: null,
    sites: null,
    privateKey: 'never' as const,
    kind,
    fields,
    docs,
  };
};

type ProviderChoice = {
  /** The IDs of the providers to list. */
  only?: readonly string[] | undefined;
  /** The search words. The best matches come first. */
  q?: string | undefined;
  /** The ID of the last provider on the previous page. */
  after?: string | null;
  most?: number;
};

const search = (catalogue: Catalogue, { only, q = '' }: ProviderChoice): Provider[] => {
  const listed = [...catalogue.values()].filter(({ record }) => !only || only.includes(record.id));
  return findByWords(listed, q, ({ record: { id, name, aliases = [], category } }) => {
    return { name, aliases, words: `${id} ${category}` };
  });
};

const choose = (catalogue: Catalogue, choice: ProviderChoice): Provider[] => {
  const { after = null, most = Number.POSITIVE_INFINITY } = choice;
  const found = search(catalogue, choice);
  const start = after === null ? 0 : found.findIndex(({ record }) => record.id === after) + 1;
  if (after !== null && start === 0) throw providerCursorInvalid();
  return found.slice(start, start + most);
};

/** Lists the catalog for a team: what is set up, and what to do to set up the rest. */
export const listProviders = async (
  { catalogue, clients, url }: IntegrationsContext,
  teamId: string,
  choice: ProviderChoice = {},
) => {
  const own = await clients.listOwn(teamId);
  return choose(catalogue, choice).map((provider) => {
    const { record, proof } = provider;
    const {
      id,
      name,
      category = 'other',
      aliases = [],
      popular = provider.custom,
      developerUrl = null,
      retired,
      params = {},
      api,
    } = record;
    return {
      ...{ id, name, category, aliases, popular, developerUrl, retired: retired?.reason ?? null },
      confidence: proof?.confidence ?? null,
      unconfirmed: [...(proof?.unconfirmed ?? [])],
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
