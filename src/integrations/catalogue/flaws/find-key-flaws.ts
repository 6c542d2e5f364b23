import { credentialOf, findFieldFlaws, type KeyRecord, listKeyFields } from '../key-record.ts';
import { hasOpenHost } from '../known-hosts.ts';
import { placeholdersIn } from '../placeholders.ts';
import { listTexts } from './list-texts.ts';

/**
 * Placeholders that exist only if the key is exchanged for access tokens. Those in `kept` can be used in all of `api`,
 * and those in `ofCredential` only in `api.credential`.
 */
const NO_TOKENS = { token: null, kept: [], ofCredential: [] };
const tokensOf = (record: KeyRecord) =>
  record.kind === 'client_credentials'
    ? { token: record.token, kept: Object.keys(record.token.response?.keep ?? {}), ofCredential: ['access_token'] }
    : NO_TOKENS;

/**
 * Finds placeholders that have no value where they're used. A secret can't be used in a URL, because URLs end up in
 * logs.
 */
const findKeyPlaceholders = (record: KeyRecord): string[] => {
  const fields = listKeyFields(record);
  const { token, kept, ofCredential } = tokensOf(record);
  const known = new Set([...Object.keys(record.params ?? {}), ...Object.keys(record.defaults ?? {})]);
  const shown = known.union(new Set(fields.filter(([, { secret }]) => secret === false).map(([name]) => name)));
  const all = shown.union(new Set(token ? ofCredential : fields.map(([name]) => name)));
  const { url: tokenUrl, ...tokenRequest } = token ?? { url: '' };
  const { credential: _, ...api } = record.api;
  const unknownIn = (value: unknown, at: string, filled: ReadonlySet<string>): string[] =>
    listTexts(value, at).flatMap(([path, text]) =>
      placeholdersIn(text)
        .filter((name) => !filled.has(name))
        .map((name) => `${path} uses {${name}}, which is neither a param nor a field that isn't secret`),
    );
  return [
    ...unknownIn(api, '/api', shown.union(new Set(kept))),
    ...unknownIn(tokenUrl, '/token/url', shown),
    ...unknownIn(tokenRequest, '/token', shown.union(new Set(['random', ...fields.map(([name]) => name)]))),
    ...unknownIn(record.defaults, '/defaults', known),
    ...unknownIn(credentialOf(record), '/api/credential', all),
  ];
};

const findCredentialFlaws = (record: KeyRecord): string[] => {
  const credential = credentialOf(record);
  if ('query' in credential)
    return record.kind === 'api_key' ? [] : ['/api/credential/query is only for entries whose /kind is api_key'];
  const secrets: [string, unknown][] =
    record.kind === 'client_credentials'
      ? [['access_token', null]]
      : listKeyFields(record).filter(([, { secret = true }]) => secret);
  const formats = 'headers' in credential ? Object.values(credential.headers) : [credential.format];
  const used = new Set(formats.flatMap(placeholdersIn));
  return secrets
    .filter(([name]) => !used.has(name))
    .map(([name]) => `/api/credential doesn't use the secret field {${name}}`);
};

/**
 * Finds missing `domains`. If a host has a placeholder, a person chooses its value, so the entry must limit which hosts
 * may get a key.
 */
const findMissingDomains = ({ domains, ...record }: KeyRecord): string[] => {
  const { url, hosts = {} } = record.api;
  const addresses = [url, ...Object.values(hosts), ...('token' in record ? [record.token.url] : [])];
  return domains === undefined && addresses.some(hasOpenHost)
    ? ['/domains is required when a host has a placeholder']
    : [];
};

/** Refuses `private_key_jwt`, because a person enters a client ID and a secret, and never a private key. */
const findTokenAuthFlaws = (record: KeyRecord): string[] => {
  const auth = record.kind === 'client_credentials' ? record.token.auth : undefined;
  return auth === 'private_key_jwt' ? ['/token/auth must not be private_key_jwt, because there is no private key'] : [];
};

const findUnreadIdentity = ({ api, identity }: KeyRecord): string[] =>
  identity && !api.verify ? ['/identity is read from the response to /api/verify, which is missing'] : [];

/** Finds flaws of an entry for a key, besides the flaws that any entry may have. */
export const findKeyFlaws = (record: KeyRecord): string[] => [
  ...findFieldFlaws(record),
  ...findKeyPlaceholders(record),
  ...findCredentialFlaws(record),
  ...findMissingDomains(record),
  ...findTokenAuthFlaws(record),
  ...findUnreadIdentity(record),
];
