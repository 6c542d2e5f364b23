import { hash } from 'node:crypto';
import { oncePer } from '../../platform/index.ts';
import { expandAddress, expandText, makeRandom, placeholdersIn, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';

type AuthorizationRequest = {
  clientId: string;
  redirectUri: string;
  state: string;
  verifier: string;
  scopes: readonly string[];
  values: Values;
};

const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url');

/** The scopes of a request: the requested ones, or else the defaults, plus scopes that identity and refresh need. */
export const scopesOf = (
  { scopes, requiredScopes = [] }: Pick<FullRecord, 'scopes' | 'requiredScopes'>,
  requested: readonly string[] | null,
): string[] => [...new Set([...requiredScopes, ...(requested ?? scopes)])];

/** A `+` between scopes must not be encoded. Encoded, it would be part of a scope. */
const encodeScopes = (scopes: readonly string[], separator: ' ' | ',' | '+'): string =>
  separator === '+' ? scopes.map(encodeURIComponent).join('+') : encodeURIComponent(scopes.join(separator));

type Fixed = Omit<AuthorizationRequest, 'state' | 'verifier'>;

/**
 * The part of the URL that is the same for many connects, and the names of the params that differ for each. A name is
 * null if the param isn't sent.
 */
type FixedPart = {
  address: string;
  state: string | null;
  challenge: string | null;
  method: string | null;
  /** Params that contain `{random}`. `known` has the values for their other placeholders. */
  fresh: [string, string][];
  known: Values;
};

const isFresh = (text: string): boolean => placeholdersIn(text).includes('random');

const buildFixedPart = (record: FullRecord, { clientId, redirectUri, scopes, values }: Fixed): FixedPart => {
  const { authorize, pkce = 'supported', callback } = record;
  const known = { ...values, client_id: clientId, redirect_uri: redirectUri };
  const url = expandAddress(authorize.url, known);
  const address = url.href.replace(/\?$/, '');
  const sent = new Map<string, string>();
  const nameOf = (name: string): string | null =>
    authorize.omit?.includes(name) ? null : (authorize.rename?.[name] ?? name);
  const send = (name: string, encoded: string): void => {
    const under = nameOf(name);
    if (under !== null) sent.set(under, encoded);
  };
  send('response_type', 'code');
  send('client_id', encodeURIComponent(clientId));
  send('redirect_uri', encodeURIComponent(redirectUri));
  if (scopes.length > 0) send('scope', encodeScopes(scopes, authorize.scopeSeparator ?? ' '));
  const own = Object.entries(authorize.params ?? {});
  for (const [name, text] of own) if (!isFresh(text)) sent.set(name, encodeURIComponent(expandText(text, known)));
  const query = [...sent]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${value}`);
  return {
    // If the URL has a fragment, the params become part of the fragment, for the page that the URL opens.
    address: `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}`,
    state: nameOf(callback?.stateParam ?? 'state'),
    challenge: pkce === 'off' ? null : nameOf('code_challenge'),
    method: pkce === 'off' ? null : nameOf('code_challenge_method'),
    fresh: own.filter(([, text]) => isFresh(text)),
    known,
  };
};

const MOST_KEPT = 100;
const partsOf = oncePer((_record: FullRecord) => new Map<string, FixedPart>());

/** Caches the fixed part of the URL, because most connects of a provider request the same scopes and params. */
const fixedPartOf = (record: FullRecord, fixed: Fixed): FixedPart => {
  const key = JSON.stringify([fixed.clientId, fixed.redirectUri, fixed.scopes, fixed.values]);
  const parts = partsOf(record);
  const part = parts.get(key) ?? buildFixedPart(record, fixed);
  if (parts.size >= MOST_KEPT) parts.clear();
  parts.set(key, part);
  return part;
};

export const buildAuthorizationUrl = (
  record: FullRecord,
  { state, verifier, ...fixed }: AuthorizationRequest,
): string => {
  const part = fixedPartOf(record, fixed);
  const add = (name: string | null, value: string): string =>
    name === null ? '' : `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  const proof = part.challenge === null ? '' : add(part.challenge, challengeOf(verifier));
  const values = part.fresh.length > 0 ? { ...part.known, random: makeRandom() } : {};
  const fresh = part.fresh.map(([name, text]) => add(name, expandText(text, values))).join('');
  return `${part.address}${add(part.state, state)}${proof}${add(part.method, 'S256')}${fresh}`;
};
