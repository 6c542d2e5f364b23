import type { ClientCredentialsRecord } from '../../../src/integrations/catalogue/key-record.ts';
import { type Json, putAt } from './answer-path.ts';
import type { SimulatedAnswer } from './answer-request.ts';
import type { Expected } from './expected-request.ts';
import { findFlaws } from './find-flaws.ts';
import type { SimulatedProvider, Values } from './simulated-provider.ts';
import { type Address, fillAddress, fillAll } from './template.ts';
import type { WireRequest } from './wire-request.ts';

const TOKEN_SECONDS = 3_600;

/** What a provider issues for a client's ID and secret. */
export type SimulatedClient = ReturnType<typeof createClient>;

/** The one request that it accepts. */
const expectTokenRequest = ({ token }: ClientCredentialsRecord, fields: Values, params: Values): Expected => {
  const values = { ...params, ...fields };
  const { client_id = '', client_secret = '' } = fields;
  const ofClient: Values = (token.auth ?? 'post') === 'post' ? { client_id, client_secret } : {};
  const protocol = Object.entries({ grant_type: 'client_credentials', ...ofClient })
    .filter(([name]) => !token.omit?.includes(name))
    .map(([name, value]) => [token.rename?.[name] ?? name, value]);
  const all: Values = { ...Object.fromEntries(protocol), ...fillAll(token.params, values) };
  const address = fillAddress(token.url, values);
  const inQuery = token.body === 'query' || token.method === 'GET';
  return {
    method: token.method ?? 'POST',
    address: inQuery ? { ...address, query: [...address.query, ...Object.entries(all)] } : address,
    headers: fillAll(token.headers, values),
    basic: token.auth === 'basic' ? { encoding: token.basicEncoding ?? 'form' } : null,
    encoding: inQuery ? 'none' : token.body === 'json' ? 'json' : 'form',
    params: inQuery ? {} : all,
  };
};

/** What it tells about where the API is, in one of the entry's domains. */
const keptOf = ({ token, domains = [] }: ClientCredentialsRecord): Values =>
  Object.fromEntries(Object.keys(token.response?.keep ?? {}).map((name) => [name, `https://kept.${domains[0]}`]));

export const createClient = (record: ClientCredentialsRecord, fields: Values, params: Values) => {
  const expected = expectTokenRequest(record, fields, params);
  const { client_id: clientId = '', client_secret: clientSecret = '' } = fields;
  const kept = keptOf(record);
  const issued: { value: string; expiresAt: number }[] = [];

  const issue = (now: number): Json => {
    const value = `token ${issued.length + 1} of ${record.id}`;
    issued.push({ value, expiresAt: now + TOKEN_SECONDS * 1_000 });
    // If the entry has to assume how long it lives, the provider doesn't say.
    const life: Json = record.token.response?.defaultExpiresIn === undefined ? { expires_in: TOKEN_SECONDS } : {};
    return Object.entries(record.token.response?.keep ?? {}).reduce<Json>(
      (body, [name, path]) => putAt(body, path, kept[name] ?? ''),
      { access_token: value, token_type: 'Bearer', ...life },
    );
  };

  return {
    kept,
    issued,
    isAt: ({ text }: Address): boolean => expected.address.text === text,
    works: (token: string, now: number): boolean =>
      issued.some(({ value, expiresAt }) => value === token && now < expiresAt),
    answer(request: WireRequest, now: number): SimulatedAnswer {
      const client = { clientId, clientSecret } as SimulatedProvider;
      const flaws = findFlaws(client, request, expected);
      if (flaws.length === 0) return { status: 200, body: issue(now), reasons: [] };
      const status = flaws.every(({ error }) => error === 'invalid_client') ? 401 : 400;
      return { status, body: { error: flaws[0]?.error ?? '' }, reasons: flaws.map(({ reason }) => reason) };
    },
  };
};
