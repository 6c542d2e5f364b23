import { Ajv } from 'ajv';
import { sayPatternFlaw } from '../../platform/index.ts';
import { credentialOf, findFieldFlaws, KeyRecord, listKeyFields } from './key-record.ts';
import { domainsOf, fixedHostsOf, isUnder } from './known-hosts.ts';
import { placeholdersIn } from './placeholders.ts';
import { DiscoveredRecord, FullRecord, type OauthRecord, type ProviderRecord } from './provider.ts';
import { findWebhookFlaws } from './provider-webhook.ts';

const ALWAYS_KNOWN = ['client_id', 'client_secret', 'access_token', 'refresh_token', 'token', 'redirect_uri'];
const TEMPLATES = ['authorize', 'token', 'refresh', 'revoke', 'identity', 'api', 'defaults'] as const;

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, validateSchema: false, meta: false });

const isKeyRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && /^(?:api_key|basic)$/.test(String(value.kind));

const isFull = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('authorize' in value || 'token' in value || !('issuer' in value));

const findSchemaFlaws = (value: unknown): string[] => {
  const schema = isKeyRecord(value) ? KeyRecord : isFull(value) ? FullRecord : DiscoveredRecord;
  const validate = ajv.compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message, params, parentSchema }) => {
    if (keyword === 'pattern') return `${instancePath} ${sayPatternFlaw(parentSchema)}`;
    const extra = 'additionalProperty' in params ? ` ("${params['additionalProperty']}")` : '';
    return `${instancePath || '/'} ${message}${extra}`;
  });
};

const listTexts = (value: unknown, path = ''): [string, string][] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, `${path}/${key}`));
};

const findUnknownPlaceholders = (record: FullRecord): string[] => {
  const { params, defaults, callback, token, identity } = record;
  const filled = [params, defaults, callback?.keep, token.response?.keep, token.upgrade?.response?.keep];
  const known = new Set([...ALWAYS_KNOWN, ...filled.flatMap((values) => Object.keys(values ?? {}))]);
  // The account is known only once it's connected.
  const knownLater = known.union(new Set(['account_id', ...Object.keys(identity?.keep ?? {})]));
  return TEMPLATES.flatMap((field) =>
    listTexts(record[field], `/${field}`).flatMap(([path, text]) =>
      placeholdersIn(text)
        .filter((name) => !(field === 'api' ? knownLater : known).has(name))
        .map((name) => `${path} uses {${name}}, which is neither a param nor kept`),
    ),
  );
};

export const matchesWhole = (pattern: string, value: string): boolean => new RegExp(`^(?:${pattern})$`).test(value);

/** A pattern must be one, and match its own examples. */
const findPatternFlaws = (record: ProviderRecord): string[] => {
  const { params = {} } = record;
  const ofParams = Object.entries(params).map(([name, { pattern, example, default: standard = example }]) => {
    return { path: `/params/${name}/pattern`, pattern, values: new Set([example, standard]) };
  });
  const others: [string, { pattern?: string }][] =
    'fields' in record
      ? listKeyFields(record).map(([name, field]) => [`/fields/${name}`, field])
      : Object.entries(record.callback?.keep ?? {}).map(([name, kept]) => [`/callback/keep/${name}`, kept]);
  const withoutExamples = others.flatMap(([path, { pattern }]) =>
    pattern === undefined ? [] : [{ path: `${path}/pattern`, pattern, values: new Set<string>() }],
  );
  return [...ofParams, ...withoutExamples].flatMap(({ path, pattern, values }) => {
    try {
      matchesWhole(pattern, '');
    } catch {
      return [`${path} is not a regular expression`];
    }
    return [...values]
      .filter((value) => !matchesWhole(pattern, value))
      .map((value) => `${path} does not match "${value}"`);
  });
};

/** A URL without placeholders must be valid as it is. Plain http is for trying things out. */
const findAddressFlaws = (record: ProviderRecord, production: boolean): string[] =>
  listTexts(record)
    .filter(([path]) => /\/(?:url|issuer|hosts\/[^/]+)$/.test(path))
    .flatMap(([path, text]) => [
      ...(text.includes('{') || URL.canParse(text) ? [] : [`${path} is not a valid URL`]),
      ...(production && text.startsWith('http:') ? [`${path} must be https in production`] : []),
    ]);

/** Named domains must cover the fixed hosts, so that an entry's own URLs need no check on every request. */
const findForeignHosts = (record: FullRecord | KeyRecord): string[] =>
  fixedHostsOf(record)
    .filter((host) => !isUnder(domainsOf(record), host))
    .map((host) => `/domains does not cover ${host}`);

/** If the callback must name the issuer, the entry must know it. Otherwise there's nothing to compare it with. */
const findMissingIssuer = ({ issuer, issuerInCallback }: OauthRecord): string[] =>
  issuerInCallback && issuer === undefined ? ['/issuer is required when /issuerInCallback is true'] : [];

/** A token that is never spent needs no grace period, so the number would mean nothing. */
const findIdleGrace = ({ refresh }: OauthRecord): string[] =>
  refresh?.rotates === 'never' && refresh.graceSeconds !== undefined
    ? ['/refresh/graceSeconds must not be set when /refresh/rotates is never']
    : [];

/** A webhook finds connections by what was kept of them. An issuer may name the identity request of a short entry. */
const findUnmatchable = (record: OauthRecord): string[] => {
  const { webhook, params, callback, identity } = record;
  if (!webhook) return [];
  const response = 'token' in record ? record.token.response : undefined;
  const filled = [params, callback?.keep, response?.keep, identity?.keep];
  const kept = new Set(filled.flatMap((values) => Object.keys(values ?? {})));
  const hasIdentity = 'authorize' in record ? Boolean(identity) : identity !== null;
  return findWebhookFlaws(webhook, { kept, hasIdentity });
};

/** A verification request goes to the API, or to one of its named hosts. */
const findUnnamedHost = ({ api }: ProviderRecord): string[] => {
  const { host } = api?.verify ?? {};
  return host === undefined || Object.hasOwn(api?.hosts ?? {}, host)
    ? []
    : [`/api/verify/host is "${host}", which is not in /api/hosts`];
};

/** A secret may only be where the credential is: whatever is in an address ends up in logs. */
const findKeyPlaceholders = (record: KeyRecord): string[] => {
  const fields = listKeyFields(record);
  const known = new Set([...Object.keys(record.params ?? {}), ...Object.keys(record.defaults ?? {})]);
  const shown = known.union(new Set(fields.filter(([, { secret }]) => secret === false).map(([name]) => name)));
  const all = known.union(new Set(fields.map(([name]) => name)));
  const { credential: _, ...api } = record.api;
  const unknownIn = (value: unknown, at: string, filled: ReadonlySet<string>): string[] =>
    listTexts(value, at).flatMap(([path, text]) =>
      placeholdersIn(text)
        .filter((name) => !filled.has(name))
        .map((name) => `${path} uses {${name}}, which is neither a param nor a field that isn't secret`),
    );
  return [
    ...unknownIn(api, '/api', shown),
    ...unknownIn(record.defaults, '/defaults', known),
    ...unknownIn(credentialOf(record), '/api/credential', all),
  ];
};

const findCredentialFlaws = (record: KeyRecord): string[] => {
  const credential = credentialOf(record);
  if ('query' in credential)
    return record.kind === 'api_key' ? [] : ['/api/credential/query is only for entries whose /kind is api_key'];
  const secrets = listKeyFields(record).filter(([, { secret = true }]) => secret);
  return secrets.some(([name]) => placeholdersIn(credential.format).includes(name))
    ? []
    : ['/api/credential/format uses no secret field'];
};

/** A person chooses what fills the placeholder, so the entry must say where a key may go. */
const findMissingDomains = ({ api, domains }: KeyRecord): string[] =>
  domains === undefined &&
  [api.url, ...Object.values(api.hosts ?? {})].some((url) => /^(?:https?:\/\/)?[^/]*\{/.test(url))
    ? ['/domains is required when a host has a placeholder']
    : [];

const findUnreadIdentity = ({ api, identity }: KeyRecord): string[] =>
  identity && !api.verify ? ['/identity is read from the response to /api/verify, which is missing'] : [];

const findOauthFlaws = (record: OauthRecord): string[] => [
  ...findMissingIssuer(record),
  ...findIdleGrace(record),
  ...findUnmatchable(record),
  ...('authorize' in record ? [...findUnknownPlaceholders(record), ...findForeignHosts(record)] : []),
];

const findKeyFlaws = (record: KeyRecord): string[] => [
  ...findFieldFlaws(record),
  ...findKeyPlaceholders(record),
  ...findCredentialFlaws(record),
  ...findMissingDomains(record),
  ...findUnreadIdentity(record),
  ...findForeignHosts(record),
];

/** Everything that is wrong with an entry, each with the field's place in it. */
export const findEntryFlaws = (value: unknown, production: boolean): string[] => {
  const flaws = findSchemaFlaws(value);
  if (flaws.length > 0) return flaws;
  const record = value as ProviderRecord;
  return [
    ...findPatternFlaws(record),
    ...('fields' in record ? findKeyFlaws(record) : findOauthFlaws(record)),
    ...findUnnamedHost(record),
    ...findAddressFlaws(record, production),
  ];
};
