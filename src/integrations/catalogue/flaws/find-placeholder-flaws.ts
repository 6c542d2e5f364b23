import type { KeyField } from '../key-record.ts';
import { hostPartOf, placeholdersIn } from '../placeholders.ts';
import type { FullRecord } from '../provider.ts';
import { listTexts } from './list-texts.ts';

const ALWAYS_KNOWN = ['client_id', 'client_secret', 'access_token', 'refresh_token', 'token', 'redirect_uri'];

/** Placeholders that have a value only in some parts of an entry, and a pattern for the paths of those parts. */
const PLACES: ReadonlyMap<string, RegExp> = new Map([
  [
    'random',
    /^\/authorize\/params\/|^\/(?:token|token\/upgrade|refresh|revoke|identity|sites)\/(?:params|headers)\/|^\/api\/headers\//,
  ],
  // The token request's headers can't use `state`: a refresh sends the same headers, but has no state.
  ['state', /^\/token\/params\//],
]);

/** Names of placeholders whose value we fill in ourselves. */
export const FILLED_IN: readonly string[] = [...ALWAYS_KNOWN, ...PLACES.keys()];

const TEMPLATES = ['authorize', 'token', 'refresh', 'revoke', 'identity', 'sites', 'api', 'defaults'] as const;

const FOR_CLIENT = /^\/(?:token|refresh|revoke)\/|^\/identity\/(?:url|params|headers)|^\/api\/(?:headers|credential)\//;

/**
 * Whether a client field may be used at this path. The person who connects sees the authorization request, so it must
 * not contain a secret. URLs of the API end up in logs, so they must not contain any client field.
 */
const mayHold = ({ secret = true }: KeyField, path: string): boolean =>
  FOR_CLIENT.test(path) || (!secret && path.startsWith('/authorize/'));

/**
 * Whether a placeholder is part of a URL's host. Nothing checks a client field's value, so it must not decide where a
 * request goes.
 */
const isInHost = (name: string, path: string, text: string): boolean =>
  path.endsWith('/url') && placeholdersIn(hostPartOf(text)).includes(name);

export const findUnknownPlaceholders = (record: FullRecord): string[] => {
  const { params, defaults, callback, token, identity, sites } = record;
  const filled = [params, defaults, callback?.keep, token.response?.keep, token.upgrade?.response?.keep];
  const known = new Set([...ALWAYS_KNOWN, ...filled.flatMap((values) => Object.keys(values ?? {}))]);
  // Of the protocol's values, requests to the API can use only these two, and the client's secret in headers. They can
  // also use the account's ID, which isn't known yet during the connect.
  const ofProtocol = new Set(['client_id', 'access_token']);
  const kept = new Set(filled.flatMap((values) => Object.keys(values ?? {})));
  const later = ['account_id', ...Object.keys(identity?.keep ?? {}), ...Object.keys(sites?.keep ?? {})];
  const knownLater = ofProtocol.union(kept).union(new Set(later));
  const isKnown = (name: string, path: string, text: string): boolean => {
    const field = record.clientFields?.[name];
    if (field) return mayHold(field, path) && !isInHost(name, path, text);
    if (name === 'client_secret' && /^\/api\/headers\//.test(path)) return true;
    return PLACES.get(name)?.test(path) ?? (path.startsWith('/api/') ? knownLater : known).has(name);
  };
  return TEMPLATES.flatMap((field) =>
    listTexts(record[field], `/${field}`).flatMap(([path, text]) =>
      placeholdersIn(text)
        .filter((name) => !isKnown(name, path, text))
        .map((name) => `${path} uses {${name}}, which is neither a param nor kept`),
    ),
  );
};
