import { Ajv } from 'ajv';
import { sayPatternFlaw } from '../../platform/index.ts';
import { findKeyFlaws } from './flaws/find-key-flaws.ts';
import { FILLED_IN, findUnknownPlaceholders } from './flaws/find-placeholder-flaws.ts';
import { listTexts } from './flaws/list-texts.ts';
import { ClientCredentialsRecord, type KeyRecord, listKeyFields, PlainKeyRecord } from './key-record.ts';
import { domainsOf, fixedHostsOf, isUnder } from './known-hosts.ts';
import { findPeopleFlaws } from './people/find-people-flaws.ts';
import { isBase } from './placeholders.ts';
import { DiscoveredRecord, FullRecord, type OauthRecord, type ProviderRecord } from './provider.ts';
import { findWebhookFlaws } from './webhook/find-webhook-flaws.ts';

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, validateSchema: false, meta: false });

const kindOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'kind' in value ? String(value.kind) : '';

const isFull = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('authorize' in value || 'token' in value || !('issuer' in value));

const schemaOf = (value: unknown) => {
  const kind = kindOf(value);
  if (kind === 'client_credentials') return ClientCredentialsRecord;
  if (kind === 'api_key' || kind === 'basic') return PlainKeyRecord;
  return isFull(value) ? FullRecord : DiscoveredRecord;
};

const findSchemaFlaws = (value: unknown): string[] => {
  const validate = ajv.compile(schemaOf(value));
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message, params, parentSchema }) => {
    if (keyword === 'pattern') return `${instancePath} ${sayPatternFlaw(parentSchema)}`;
    const extra = 'additionalProperty' in params ? ` ("${params['additionalProperty']}")` : '';
    return `${instancePath || '/'} ${message}${extra}`;
  });
};

export const matchesWhole = (pattern: string, value: string): boolean => new RegExp(`^(?:${pattern})$`).test(value);

/** Finds patterns that aren't valid regular expressions, or that don't match their own examples. */
const findPatternFlaws = (record: ProviderRecord): string[] => {
  const { params = {} } = record;
  const ofParams = Object.entries(params).map(([name, { pattern, example, default: standard = example }]) => {
    return { path: `/params/${name}/pattern`, pattern, values: new Set([example, standard]) };
  });
  const others: (readonly [string, { pattern?: string }])[] =
    'fields' in record
      ? listKeyFields(record).map(([name, field]) => [`/fields/${name}`, field])
      : [
          ...Object.entries(record.callback?.keep ?? {}).map(
            ([name, kept]) => [`/callback/keep/${name}`, kept] as const,
          ),
          ...Object.entries(record.clientFields ?? {}).map(
            ([name, field]) => [`/clientFields/${name}`, field] as const,
          ),
        ];
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

const findBaseFlaws = ({ params = {} }: ProviderRecord): string[] =>
  Object.entries(params)
    .filter(([, { base, example, default: standard = example }]) => base && !(isBase(example) && isBase(standard)))
    .map(([name]) => `/params/${name}/example must be a host with a port and a path, if need be`);

const isAddressField = (path: string): boolean => /\/(?:url|issuer|hosts\/[^/]+)$/.test(path);

/** Finds invalid URLs, unless they have placeholders. In production, plain http is refused, too. */
const findAddressFlaws = (record: ProviderRecord, production: boolean): string[] =>
  listTexts(record)
    .filter(([path]) => isAddressField(path))
    .flatMap(([path, text]) => [
      ...(text.includes('{') || URL.canParse(text) ? [] : [`${path} is not a valid URL`]),
      ...(production && text.startsWith('http:') ? [`${path} must be https in production`] : []),
    ]);

/**
 * Finds fixed hosts outside `domains`. Because this is checked here, an entry's own URLs need no check on every
 * request.
 */
const findForeignHosts = (record: FullRecord | KeyRecord): string[] =>
  fixedHostsOf(record)
    .filter((host) => !isUnder(domainsOf(record), host))
    .map((host) => `/domains does not cover ${host}`);

/** Finds a missing issuer. An issuer is needed if callbacks must name it, or if it's the audience of assertions. */
const findMissingIssuer = ({ issuer, issuerInCallback, assertion }: OauthRecord): string[] => {
  if (issuer !== undefined) return [];
  return [
    ...(issuerInCallback ? ['/issuer is required when /issuerInCallback is true'] : []),
    ...(assertion?.audience === 'issuer' ? ['/issuer is required when /assertion/audience is issuer'] : []),
  ];
};

/** Finds a grace period that has no meaning, because refresh tokens are never replaced. */
const findIdleGrace = ({ refresh }: OauthRecord): string[] =>
  refresh?.rotates === 'never' && refresh.graceSeconds !== undefined
    ? ['/refresh/graceSeconds must not be set when /refresh/rotates is never']
    : [];

/** Names that have another meaning in `OAUTH_<PROVIDER>_<NAME>`, or whose value we fill in ourselves. */
const OTHER_SETTING =
  /^(?:access_token|refresh_token|token|redirect_uri|random|state|account_id)$|(?:^|_)(?:client_id|client_secret|private_key|key_id|scopes|webhook_secret)$/;

/** Finds params, fields and kept values with a reserved name. */
const findTakenNames = (record: FullRecord): string[] => {
  const { params, defaults, callback, token, refresh, identity, sites, clientFields = {} } = record;
  const given = { '/params': params, '/defaults': defaults, '/callback/keep': callback?.keep };
  const kept = {
    '/token/response/keep': token.response?.keep,
    '/token/upgrade/response/keep': token.upgrade?.response?.keep,
    '/refresh/response/keep': refresh?.response?.keep,
    '/identity/keep': identity?.keep,
    '/sites/keep': sites?.keep,
  };
  const taken = new Set([...FILLED_IN, ...Object.keys(clientFields)]);
  const settings = Object.keys(clientFields)
    .filter((name) => OTHER_SETTING.test(name))
    .map((name) => `/clientFields/${name} is the name of another setting`);
  const ours = Object.entries({ ...given, ...kept }).flatMap(([path, names]) =>
    Object.keys(names ?? {})
      .filter((name) => taken.has(name))
      .map((name) => `${path}/${name} is the name of something that we fill in`),
  );
  return [...settings, ...ours];
};

/**
 * Finds a missing default expiry. A response that only says "extended" contains no expiry, and a token without an
 * expiry is never refreshed.
 */
const findEndlessExtension = ({ refresh }: OauthRecord): string[] =>
  refresh?.extended && refresh.response?.defaultExpiresIn === undefined
    ? ['/refresh/response/defaultExpiresIn is required when /refresh/extended is set']
    : [];

/**
 * Finds a webhook that can't be received, or whose messages can't be matched to connections, because the entry doesn't
 * keep the values to compare. If an entry names only its issuer, discovery may add the identity request.
 */
const findFlawedWebhook = (record: ProviderRecord): string[] => {
  const { webhook, params, identity } = record;
  if (!webhook) return [];
  const isKey = 'fields' in record;
  const callback = isKey ? undefined : record.callback;
  const response = 'token' in record ? record.token.response : undefined;
  const filled = [params, callback?.keep, response?.keep, identity && 'keep' in identity ? identity.keep : undefined];
  return findWebhookFlaws(webhook, {
    kept: new Set(filled.flatMap((values) => Object.keys(values ?? {}))),
    hasIdentity: 'authorize' in record || isKey ? Boolean(identity) : identity !== null,
    hasInstallation: Boolean(identity && 'installation' in identity),
    hasClient: !isKey,
  });
};

/** Finds flaws in how callers are found and calls are logged. */
const findFlawedPeople = (record: ProviderRecord): string[] => {
  const { people = null, log = null, api, params, defaults } = record;
  if (!people && !log) return [];
  if (!api) return ['/people needs /api'];
  const isKey = 'fields' in record;
  const response = 'token' in record ? record.token.response : undefined;
  const ofOauth = isKey ? [] : [record.callback?.keep, record.sites?.keep];
  const kept = record.identity && 'keep' in record.identity ? record.identity.keep : undefined;
  const filled = [params, defaults, response?.keep, kept, ...ofOauth];
  return findPeopleFlaws(people, log, {
    hosts: new Set(Object.keys(api.hosts ?? {})),
    known: new Set(['account_id', 'installation_id', ...filled.flatMap((values) => Object.keys(values ?? {}))]),
  });
};

/** Finds sites without a URL, unless the response to an identity request can list them. */
const findUnlistedSites = ({ sites, identity }: OauthRecord): string[] =>
  sites && sites.url === undefined && identity?.url === undefined
    ? ['/sites/url is required when /identity/url is missing']
    : [];

/** Finds a verification request to a host that isn't in `api.hosts`. */
const findUnnamedHost = ({ api }: ProviderRecord): string[] => {
  const { host } = api?.verify ?? {};
  return host === undefined || Object.hasOwn(api?.hosts ?? {}, host)
    ? []
    : [`/api/verify/host is "${host}", which is not in /api/hosts`];
};

/** Finds each `{+name}` that isn't a param with `base`, or that isn't right after the scheme. */
const findMisplacedBases = (record: ProviderRecord): string[] =>
  listTexts(record).flatMap(([path, text]) =>
    [...text.matchAll(/\{\+([^}]*)\}/g)].flatMap(([written, name = '']) => [
      ...(record.params?.[name]?.base ? [] : [`${path} uses ${written}, which is not a param with "base": true`]),
      ...(isAddressField(path) && new RegExp(`^https?://\\{\\+${name}\\}(?:/|$)`).test(text)
        ? []
        : [`${path} can have ${written} only right after https://, before a slash or the end`]),
    ]),
  );

const findOauthFlaws = (record: OauthRecord): string[] => [
  ...findMissingIssuer(record),
  ...findIdleGrace(record),
  ...findEndlessExtension(record),
  ...findUnlistedSites(record),
  ...('authorize' in record
    ? [...findTakenNames(record), ...findUnknownPlaceholders(record), ...findForeignHosts(record)]
    : []),
];

/** Finds everything that is wrong with an entry. Each flaw starts with the field's path in the entry. */
export const findEntryFlaws = (value: unknown, production: boolean): string[] => {
  const flaws = findSchemaFlaws(value);
  if (flaws.length > 0) return flaws;
  const record = value as ProviderRecord;
  return [
    ...findPatternFlaws(record),
    ...('fields' in record ? [...findKeyFlaws(record), ...findForeignHosts(record)] : findOauthFlaws(record)),
    ...findFlawedWebhook(record),
    ...findFlawedPeople(record),
    ...findUnnamedHost(record),
    ...findBaseFlaws(record),
    ...findMisplacedBases(record),
    ...findAddressFlaws(record, production),
  ];
};
