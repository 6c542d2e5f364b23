import { createHmac } from 'node:crypto';
import { separatorOf, withDefaults } from './entry.ts';
import { compareParams } from './find-flaws.ts';
import { freshRandomIn } from './fresh-random.ts';
import { makeSecret } from './issued-tokens.ts';
import { plausibleValue } from './plausible-value.ts';
import type { Grant, SimulatedProvider, Values } from './simulated-provider.ts';
import { addressPattern, anchored, fillAddress, fillAll, splitAddress } from './template.ts';

export type ConsentOptions = {
  deny?: boolean;
  account?: string;
  /** For example, fewer than were requested. */
  grantedScopes?: readonly string[];
  /** The scopes in the connect request: they and the required ones must be requested, and no others. */
  askedScopes?: readonly string[];
  /** The connect request's params. If left out, they come from the address or the entry's examples. */
  params?: Values;
};

const MOST_STATE_CHARACTERS = 1_000;

const valuesOf = (provider: SimulatedProvider, authorizationUrl: string, given: Values = {}): Values => {
  const { record } = provider;
  const groups = addressPattern(record, record.authorize.url).exec(splitAddress(authorizationUrl).text)?.groups ?? {};
  const examples = Object.entries(record.params ?? {}).map(([name, param]) => [name, param.default ?? param.example]);
  const assumed: Values = { ...Object.fromEntries(examples), ...given };
  // A host arrives in lower case, whatever it was in the request.
  const told = Object.entries(groups).filter(([name, value]) => assumed[name]?.toLowerCase() !== value.toLowerCase());
  return { ...assumed, ...Object.fromEntries(told) };
};

/** As written in the query: a raw plus isn't a space. */
const rawParam = (authorizationUrl: string, name: string): string =>
  authorizationUrl
    .split(/[?&#]/)
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

type Asked = { params: ReadonlyMap<string, string>; scopes: string[]; named: (name: string) => string };

const checkScopes = (
  { record }: SimulatedProvider,
  url: string,
  { scopes, named }: Asked,
  wanted: readonly string[] | undefined,
): string[] => {
  const required = record.requiredScopes ?? [];
  const flaws = required.filter((scope) => !scopes.includes(scope)).map((scope) => `the scope "${scope}" is missing`);
  if (new Set(scopes).size !== scopes.length) flaws.push(`a scope is there twice: ${scopes.join(' ')}`);
  const all = new Set([...required, ...(wanted ?? scopes)]);
  const odd = [...all].filter((scope) => !scopes.includes(scope));
  const extra = scopes.filter((scope) => !all.has(scope));
  if (odd.length + extra.length > 0)
    flaws.push(`the scopes are [${scopes.join(' | ')}], wanted [${[...all].join(' | ')}]`);
  if (separatorOf(record) === '+' && /%20|%2B|,/i.test(rawParam(url, named('scope'))))
    flaws.push('the scopes must be parted by a raw "+"');
  return flaws;
};

/** Throws with everything that a strict provider would not accept. */
const readAuthorization = (
  provider: SimulatedProvider,
  url: string,
  values: Values,
  options: ConsentOptions,
): Asked => {
  const { record, clientId, redirectUri } = provider;
  const { rename = {}, omit = [] } = record.authorize;
  const got = splitAddress(url);
  const params = new Map(got.query);
  const random = freshRandomIn(provider, record.authorize.params ?? {}, (name) => params.get(name));
  const filled = { ...withDefaults(provider, values), redirect_uri: redirectUri, random };
  const wanted = fillAddress(record.authorize.url, filled);
  const stateParam = record.callback?.stateParam ?? 'state';
  const named = (name: string): string => rename[name] ?? (name === 'state' ? stateParam : name);
  const own = { ...Object.fromEntries(wanted.query), ...fillAll(record.authorize.params, filled) };
  // What only the client can choose must be present and well-formed; the rest is known.
  const chosen = ['state', 'scope', ...(record.pkce === 'off' ? [] : ['code_challenge'])];
  const standard = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(record.pkce !== 'off' && { code_challenge_method: 'S256' }),
    ...Object.fromEntries(chosen.map((name) => [name, params.get(named(name)) ?? ''])),
  };
  const known = Object.entries(standard)
    .filter(([name]) => !omit.includes(name))
    .map(([name, value]) => [named(name), value])
    .filter(([, value]) => value !== '');
  const flaws = compareParams('the authorization request', got.query, { ...Object.fromEntries(known), ...own }).map(
    ({ reason }) => reason,
  );

  if (got.text !== wanted.text) flaws.unshift(`the address is ${got.text}, wanted ${wanted.text}`);
  for (const [name, { pattern }] of Object.entries(record.params ?? {}))
    if (values[name] && !anchored(pattern).test(values[name])) flaws.push(`"${name}" does not look like ${pattern}`);
  const state = params.get(named('state')) ?? '';
  if (state.length < 32 || state.length > MOST_STATE_CHARACTERS)
    flaws.push(`the state has ${state.length} characters, wanted 32 to ${MOST_STATE_CHARACTERS}`);
  const challenge = params.get(named('code_challenge')) ?? '';
  if (record.pkce !== 'off' && !/^[\w-]{43}$/.test(challenge)) flaws.push('there is no code_challenge of S256');
  const isScopeOurs = !omit.includes('scope') && own[named('scope')] === undefined;
  const separator = separatorOf(record);
  const text = isScopeOurs ? (params.get(named('scope')) ?? '') : '';
  const scopes = text.split(separator === '+' ? ' ' : separator).filter((scope) => scope !== '');
  const asked = { params, scopes, named };
  if (isScopeOurs) flaws.push(...checkScopes(provider, url, asked, options.askedScopes));
  if (flaws.length > 0)
    throw new Error(`${record.id} refuses the authorization request:\n- ${flaws.join('\n- ')}\n(${url})`);
  provider.randoms.add(random);
  return asked;
};

const signParams = (params: readonly [string, string][], secret: string): string =>
  createHmac('sha256', secret)
    .update(
      params
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join('&'),
    )
    .digest('hex');

/** The person at the provider allows or denies. Returns the address that the browser is sent back to. */
export const giveConsent = (
  provider: SimulatedProvider,
  authorizationUrl: string,
  options: ConsentOptions,
  now: number,
): string => {
  const { record, quirks, redirectUri } = provider;
  const { codeParam = 'code', stateParam = 'state', keep = {}, hmacParam, scopeParam } = record.callback ?? {};
  const asked = valuesOf(provider, authorizationUrl, options.params);
  const { params, scopes, named } = readAuthorization(provider, authorizationUrl, asked, options);
  const turn = String(provider.grants.length + 1);
  const account = options.account ?? (quirks.numericAccountId ? `4200${turn}` : `${record.id}-account-${turn}`);

  const state = params.get(named('state')) ?? '';
  const back = new Map([[stateParam, state]]);
  if (record.issuer !== undefined) back.set('iss', record.issuer);
  if (options.deny) {
    back.set('error', 'access_denied');
  } else {
    const granted = options.grantedScopes ?? scopes;
    const code = makeSecret('code');
    back.set(codeParam, code);
    const brought = Object.entries(keep).map(([name, { param, pattern }]) => {
      const value = plausibleValue(provider, name, asked, account, pattern);
      back.set(param, value);
      return [name, value];
    });
    if (scopeParam !== undefined) back.set(scopeParam, granted.join(separatorOf(record)));
    const values: Values = { ...asked, ...Object.fromEntries(brought) };
    const { token, refresh, identity } = record;
    const later = [token.response, token.upgrade?.response, refresh?.response, identity].flatMap((one) =>
      Object.keys(one?.keep ?? {}),
    );
    const grant: Grant = {
      account: { id: account, label: `${account}@example.com` },
      scopes: granted,
      redirectUri,
      challenge: params.get(named('code_challenge')) ?? null,
      code,
      state,
      consentedAt: now,
      codeUsed: false,
      upgraded: false,
      usedAt: now,
      values,
      kept: Object.fromEntries(later.map((name) => [name, plausibleValue(provider, name, values, account)])),
      sites: [],
      site: null,
      access: [],
      refresh: [],
    };
    provider.grants.push(grant);
  }
  if (hmacParam !== undefined) {
    back.set('timestamp', String(Math.floor(now / 1_000)));
    back.set(hmacParam, signParams([...back], provider.clientSecret));
  }
  return `${redirectUri}?${new URLSearchParams([...back])}`;
};
