import { Buffer } from 'node:buffer';
import { API_KINDS, specOf, withDefaults } from './entry.ts';
import type { Grant, Kind, SimulatedProvider, Values } from './simulated-provider.ts';
import { type Address, fillAddress, fillAll } from './template.ts';

/** The part of a grant that a request carries, or should have carried. */
export type Presented = { access: string; refresh: string; verifier: string; random: string };

export type Expected = {
  method: string;
  address: Address;
  headers: Values;
  /** `null`: no client should authenticate with Basic. */
  basic: { encoding: 'form' | 'raw' } | null;
  encoding: 'form' | 'json' | 'none';
  params: Values;
};

const protocolParams = (
  { record }: SimulatedProvider,
  kind: Kind,
  grant: Grant,
  { refresh, verifier }: Presented,
): Values => {
  if (kind === 'token')
    return {
      grant_type: 'authorization_code',
      code: grant.code,
      redirect_uri: grant.redirectUri,
      ...(grant.challenge !== null && { code_verifier: verifier }),
    };
  return kind === 'refresh' && record.refresh?.with !== 'access_token'
    ? { grant_type: 'refresh_token', refresh_token: refresh }
    : {};
};

const clientParams = ({ clientId, clientSecret }: SimulatedProvider, kind: Kind, auth: string): Values => {
  if (auth === 'post') return { client_id: clientId, client_secret: clientSecret };
  return auth === 'none' && (kind === 'token' || kind === 'refresh') ? { client_id: clientId } : {};
};

/** The token to revoke: the one that the entry prefers, or the other one if the grant doesn't have it. */
const tokenToRevoke = ({ record }: SimulatedProvider, grant: Grant, { access, refresh }: Presented): string =>
  (record.revoke?.token ?? 'refresh') === 'refresh' && grant.refresh.length > 0 ? refresh : access;

/** A credential of the API whose format begins with `Basic ` is in base64 after that. */
const encodeBasic = (headers: Values): Values =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const [, pair] = /^Basic (.*)$/.exec(value) ?? [];
      return [name, pair === undefined ? value : `Basic ${Buffer.from(pair).toString('base64')}`];
    }),
  );

/** The one request of this kind that the provider accepts for this grant. */
export const expectRequest = (
  provider: SimulatedProvider,
  kind: Kind,
  grant: Grant,
  presented: Presented,
): Expected | null => {
  const { record } = provider;
  const spec = specOf(record, kind);
  if (!spec) return null;
  const auth = spec.auth ?? 'post';
  const token = tokenToRevoke(provider, grant, presented);
  const values = {
    ...withDefaults(provider, grant.values),
    ...(API_KINDS.has(kind) && { account_id: grant.account.id, ...grant.site?.values }),
    ...(kind === 'token' && { state: grant.state }),
    random: presented.random,
    redirect_uri: grant.redirectUri,
    access_token: presented.access,
    refresh_token: presented.refresh,
    token,
  };

  const carrier = kind === 'revoke' ? (record.revoke?.param ?? 'token') : '';
  const protocol: Values = {
    ...protocolParams(provider, kind, grant, presented),
    ...(carrier !== '' && { [carrier]: token }),
    ...clientParams(provider, kind, auth),
  };
  const named = Object.entries(protocol)
    .filter(([name]) => !spec.omit?.includes(name))
    .map(([name, value]) => [spec.rename?.[name] ?? name, value]);
  const all: Values = { ...Object.fromEntries(named), ...fillAll(spec.params, values) };

  const own = Object.entries(spec.headers ?? {}).map(([name, text]) => [name.toLowerCase(), text]);
  // An entry that sets the header to nothing wants none.
  const bearer = kind === 'identity' || kind === 'sites' ? { authorization: 'Bearer {access_token}' } : {};
  const filled = fillAll({ ...bearer, ...Object.fromEntries(own) }, values);
  const headers = API_KINDS.has(kind) ? encodeBasic(filled) : filled;
  const isBasic = auth === 'basic' && headers['authorization'] === undefined;

  // A GET has no body, so its params are in the query.
  const inQuery = spec.body === 'query' || (spec.method === 'GET' && spec.body !== 'none');
  const address = fillAddress(spec.url, values);
  return {
    method: spec.method ?? 'POST',
    address: inQuery
      ? { ...address, query: Object.entries({ ...Object.fromEntries(address.query), ...all }) }
      : address,
    headers,
    basic: isBasic ? { encoding: spec.basicEncoding ?? 'form' } : null,
    encoding: inQuery || spec.body === 'query' ? 'none' : (spec.body ?? 'form'),
    params: inQuery || spec.body === 'none' ? {} : all,
  };
};

const formDecode = (text: string): string => new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x') ?? '';

/** Whether the header names this client in this encoding. The test's secrets read differently in the other one. */
export const isBasicOf = (
  { clientId, clientSecret }: SimulatedProvider,
  header: string,
  encoding: 'form' | 'raw',
): boolean => {
  const pair = /^Basic (.+)$/i.exec(header)?.[1] ?? '';
  const bytes = Buffer.from(pair, 'base64');
  if (bytes.toString('base64') !== pair) return false;
  const [id = '', ...rest] = bytes.toString('utf8').split(':');
  const decode = encoding === 'form' ? formDecode : (text: string) => text;
  return decode(id) === clientId && decode(rest.join(':')) === clientSecret;
};
