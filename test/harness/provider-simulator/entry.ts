import type { FullRecord, RequestFields, ResponseFields } from '../../../src/integrations/catalogue/provider.ts';
import type { ProviderApi } from '../../../src/integrations/catalogue/provider-api.ts';
import type { Kind, SimulatedProvider, Values } from './simulated-provider.ts';
import { fill, placeholdersIn } from './template.ts';

type Spec = RequestFields & { url: string };

/** A request that shows whether the credential works, or at least where it goes and how. */
export const callOf = ({ verify }: ProviderApi): NonNullable<ProviderApi['verify']> =>
  verify ?? { method: 'GET', path: '/' };

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const namesSite = ({ sites }: FullRecord, value: unknown): boolean =>
  textsIn(value)
    .flatMap(placeholdersIn)
    .some((name) => Object.hasOwn(sites?.keep ?? {}, name));

/** A request that needs the chosen site. Null if the entry has no sites. */
export const siteCallOf = (record: FullRecord): { method: 'GET'; path: string; host?: string } | null => {
  const { api, sites } = record;
  if (!api || !sites) return null;
  const call = { method: 'GET', path: '/of-the-site' } as const;
  if (namesSite(record, [api.url, api.headers])) return call;
  const host = Object.entries(api.hosts ?? {}).find(([, url]) => namesSite(record, url))?.[0];
  return host === undefined ? null : { ...call, host };
};

/** The same as the proxy sends it. */
const apiSpecOf = ({ api }: FullRecord, call: ProviderApi['verify'] | null): Spec | null => {
  if (!api || !call) return null;
  const { method, path, host, body, headers: ownHeaders } = call;
  const base = host === undefined ? api.url : (api.hosts?.[host] ?? '');
  const { credential = { header: 'authorization', format: 'Bearer {access_token}' } } = api;
  const [headers, query] =
    'query' in credential
      ? [{}, `${path.includes('?') ? '&' : '?'}${credential.query}={access_token}`]
      : [{ [credential.header]: credential.format }, ''];
  return {
    url: `${base}${path === '/' ? '' : path}${query}`,
    method,
    auth: 'none',
    ...(body ? { body: 'json', params: body } : { body: 'none' }),
    headers: { ...api.headers, ...ownHeaders, ...headers },
  };
};

/** How this entry makes such a request, with the schema's defaults. Null if it makes none. */
export const specOf = (record: FullRecord, kind: Kind): Spec | null => {
  const { token, refresh, revoke, identity, sites, api } = record;
  const common = { method: 'POST', auth: 'post', body: 'form' } as const;
  if (kind === 'token') return { ...common, ...token };
  if (kind === 'upgrade') return token.upgrade ? { ...common, auth: token.auth ?? 'post', ...token.upgrade } : null;
  if (kind === 'revoke') return revoke ? { ...common, ...revoke } : null;
  if (kind === 'verify') return apiSpecOf(record, api && callOf(api));
  if (kind === 'site_call') return apiSpecOf(record, siteCallOf(record));
  if (kind === 'sites')
    return sites?.url ? { method: 'GET', auth: 'none', body: 'none', ...sites, url: sites.url } : null;
  if (kind === 'identity')
    return identity?.url ? { method: 'GET', auth: 'none', body: 'none', ...identity, url: identity.url } : null;
  // Params and omissions are the refresh's own; everything else is inherited from the token request.
  const { params: _, omit: __, ...inherited } = token;
  return refresh ? { ...common, ...inherited, ...refresh } : null;
};

export const responseOf = ({ token, refresh }: FullRecord, kind: Kind): ResponseFields => {
  if (kind === 'upgrade') return token.upgrade?.response ?? {};
  return (kind === 'refresh' ? refresh?.response : undefined) ?? token.response ?? {};
};

/** Requests to the API. The service sends only `verify` by itself. */
export const API_KINDS: ReadonlySet<Kind> = new Set(['verify', 'site_call']);

export const KINDS: readonly Kind[] = [
  ...(['token', 'upgrade', 'refresh', 'revoke', 'identity', 'sites'] as const),
  ...API_KINDS,
];

export const addressesOf = (record: FullRecord): string[] => {
  const { authorize, api } = record;
  const ofApi = [api?.url, ...Object.values(api?.hosts ?? {})];
  return [authorize.url, ...KINDS.map((kind) => specOf(record, kind)?.url), ...ofApi].filter(
    (url) => url !== undefined,
  );
};

/** The domains that cover all of this provider's hosts. */
export const domainsOf = (record: FullRecord): readonly string[] =>
  record.domains ?? addressesOf(record).flatMap((url) => (url.includes('{') ? [] : [new URL(url).hostname]));

export const separatorOf = ({ authorize }: FullRecord): string => authorize.scopeSeparator ?? ' ';

/** Values besides those of a grant, which take precedence. The entry's defaults may be made of other values. */
export const withDefaults = ({ record, clientId, clientSecret, fields }: SimulatedProvider, values: Values): Values => {
  const params = Object.entries(record.params ?? {}).map(([name, { default: value = '' }]) => [name, value]);
  const known: Values = {
    ...Object.fromEntries(params),
    ...values,
    ...fields,
    client_id: clientId,
    client_secret: clientSecret,
  };
  const defaults = Object.entries(record.defaults ?? {}).map(([name, text]) => [name, fill(text, known)]);
  return { ...Object.fromEntries(defaults), ...known };
};

const BUILT_IN = [
  'client_id',
  'client_secret',
  'access_token',
  'refresh_token',
  'token',
  'redirect_uri',
  'random',
  'state',
];

/** Placeholders that nothing could ever fill. */
export const unfillable = (record: FullRecord): string[] => {
  const { authorize, token, refresh, revoke, identity, sites, api } = record;
  const known = new Set([
    ...BUILT_IN,
    ...[record.params, record.clientFields, record.defaults, record.callback?.keep, token.response?.keep].flatMap(
      (one) => Object.keys(one ?? {}),
    ),
    ...[token.upgrade?.response?.keep, refresh?.response?.keep].flatMap((one) => Object.keys(one ?? {})),
  ]);
  const knownLater = known.union(new Set(['account_id', ...Object.keys({ ...identity?.keep, ...sites?.keep })]));
  const unknownIn = (parts: unknown, filled: ReadonlySet<string>): string[] =>
    textsIn(parts)
      .flatMap(placeholdersIn)
      .filter((name) => !filled.has(name));
  return [...unknownIn([authorize, token, refresh, revoke, identity, sites], known), ...unknownIn(api, knownLater)];
};
