import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { sayPatternFlaw } from '../../platform/index.ts';
import { providerUnknown } from '../errors.ts';
import { extendEntry, isExtension, namesAddress } from './extend-entry.ts';
import { domainsOf, fixedHostsOf, isUnder } from './known-hosts.ts';
import { placeholdersIn } from './placeholders.ts';
import { type Catalogue, DiscoveredRecord, FullRecord, type Provider, type ProviderRecord } from './provider.ts';

/** An entry can't be used. Each line names the file and the field. */
export class CatalogueRefused extends Error {
  override readonly name = 'CatalogueRefused';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

const DIRECTORY = new URL('./entries/', import.meta.url);
const ALWAYS_KNOWN = ['client_id', 'client_secret', 'access_token', 'refresh_token', 'token', 'redirect_uri'];
const TEMPLATES = ['authorize', 'token', 'refresh', 'revoke', 'identity', 'api', 'defaults'] as const;

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, validateSchema: false, meta: false });

const isFull = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('authorize' in value || 'token' in value || !('issuer' in value));

const findSchemaFlaws = (value: unknown): string[] => {
  const validate = ajv.compile(isFull(value) ? FullRecord : DiscoveredRecord);
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
const findPatternFlaws = ({ params = {}, callback }: ProviderRecord): string[] => {
  const ofParams = Object.entries(params).map(([name, { pattern, example, default: standard = example }]) => {
    return { path: `/params/${name}/pattern`, pattern, values: new Set([example, standard]) };
  });
  const ofCallback = Object.entries(callback?.keep ?? {}).map(([name, { pattern }]) => {
    return { path: `/callback/keep/${name}/pattern`, pattern, values: new Set<string>() };
  });
  return [...ofParams, ...ofCallback].flatMap(({ path, pattern, values }) => {
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
const findForeignHosts = (record: FullRecord): string[] =>
  fixedHostsOf(record)
    .filter((host) => !isUnder(domainsOf(record), host))
    .map((host) => `/domains does not cover ${host}`);

/** If the callback must name the issuer, the entry must know it. Otherwise there's nothing to compare it with. */
const findMissingIssuer = ({ issuer, issuerInCallback }: ProviderRecord): string[] =>
  issuerInCallback && issuer === undefined ? ['/issuer is required when /issuerInCallback is true'] : [];

/** A token that is never spent needs no grace period, so the number would mean nothing. */
const findIdleGrace = ({ refresh }: ProviderRecord): string[] =>
  refresh?.rotates === 'never' && refresh.graceSeconds !== undefined
    ? ['/refresh/graceSeconds must not be set when /refresh/rotates is never']
    : [];

/** A verification request goes to the API, or to one of its named hosts. */
const findUnnamedHost = ({ api }: ProviderRecord): string[] => {
  const { host } = api?.verify ?? {};
  return host === undefined || Object.hasOwn(api?.hosts ?? {}, host)
    ? []
    : [`/api/verify/host is "${host}", which is not in /api/hosts`];
};

const findFlaws = (value: unknown, production: boolean): string[] => {
  const flaws = findSchemaFlaws(value);
  if (flaws.length > 0) return flaws;
  const record = value as ProviderRecord;
  return [
    ...findPatternFlaws(record),
    ...findMissingIssuer(record),
    ...findIdleGrace(record),
    ...findUnnamedHost(record),
    ...findAddressFlaws(record, production),
    ...('authorize' in record ? [...findUnknownPlaceholders(record), ...findForeignHosts(record)] : []),
  ];
};

const readJson = (path: string | URL, file: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    throw new CatalogueRefused([`${file} ${why}.`]);
  }
};

/** The built-in entries. Their evidence is for people and tests; the service doesn't keep it in memory. */
export const readEntries = (): { file: string; record: FullRecord; evidence: unknown }[] =>
  readdirSync(DIRECTORY)
    .sort()
    .map((file) => {
      const { evidence, ...record } = readJson(new URL(file, DIRECTORY), file) as FullRecord & { evidence: unknown };
      return { file, record, evidence };
    });

/** For the tests, which check the built-in entries. Checking them at every start took 100 ms. */
export const findBuiltInFlaws = (): string[] =>
  readEntries().flatMap(({ file, record }) => findFlaws(record, true).map((flaw) => `${file}: ${flaw}.`));

type BuiltIn = ReadonlyMap<string, FullRecord>;

/** An entry of the operator's file, with what it takes from the built-in entry that it extends. */
const complete = (value: unknown, builtIn: BuiltIn): { value: unknown; custom: boolean; flaws: string[] } => {
  if (!isExtension(value)) return { value, custom: true, flaws: [] };
  const entry = builtIn.get(String(value['id']));
  if (!entry) return { value, custom: true, flaws: ['/extends is true, but there is no built-in entry with this id'] };
  return { value: extendEntry(entry, value), custom: namesAddress(value), flaws: [] };
};

const readCustom = (path: string, builtIn: BuiltIn, production: boolean): Provider[] => {
  const list = readJson(path, path);
  if (!Array.isArray(list)) throw new CatalogueRefused([`${path} must contain a JSON array of providers.`]);
  const entries = list.map((value) => complete(value, builtIn));
  const flaws = entries.flatMap(({ value, flaws: known }, index) =>
    (known.length > 0 ? known : findFlaws(value, production)).map((flaw) => `${path}, entry ${index + 1}: ${flaw}.`),
  );
  const ids: unknown[] = list.map((value) => value?.id).filter((id) => id !== undefined);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${path}: "${id}" appears twice.`);
  if (flaws.length + twice.length > 0) throw new CatalogueRefused([...flaws, ...twice]);
  return entries.map(({ value, custom }) => ({ record: value as ProviderRecord, custom }));
};

/**
 * Reads every entry and checks the operator's own, which replace or extend built-in ones with the same id. Throws
 * CatalogueRefused with everything that is wrong.
 */
export const loadCatalogue = (settings: { customFile: string | null; production: boolean }): Map<string, Provider> => {
  const { customFile, production } = settings;
  const builtIn = new Map(readEntries().map(({ record }) => [record.id, record]));
  const own = customFile === null ? [] : readCustom(customFile, builtIn, production);
  const providers = [...[...builtIn.values()].map((record): Provider => ({ record, custom: false })), ...own];
  return new Map(providers.map((provider) => [provider.record.id, provider]));
};

export const findProvider = (catalogue: Catalogue, id: string): Provider => {
  const provider = catalogue.get(id);
  if (!provider) throw providerUnknown();
  return provider;
};
