import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import type { Evidence } from './evidence.ts';
import { domainsOf, fixedHostsOf, isUnder } from './known-hosts.ts';
import { placeholdersIn } from './placeholders.ts';
import { DiscoveredRecord, FullRecord } from './provider.ts';

/** A provider as the service knows it, from the catalog or from the operator's own file. */
export type Provider = {
  record: FullRecord | DiscoveredRecord;
  /** From the operator's file. Its addresses may be private. */
  custom: boolean;
};

export type Catalogue = ReadonlyMap<string, Provider>;

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

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, meta: false });
const validators = new Map<TSchema, ReturnType<typeof ajv.compile>>();

const validatorOf = (schema: TSchema) => {
  const known = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, known);
  return known;
};

const isFull = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('authorize' in value || 'token' in value || !('issuer' in value));

const findSchemaFlaws = (value: unknown): string[] => {
  const validate = validatorOf(isFull(value) ? FullRecord : DiscoveredRecord);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const extra = 'additionalProperty' in params ? ` ("${params['additionalProperty']}")` : '';
    return `${instancePath || '/'} ${message}${extra}`;
  });
};

const listTexts = (value: unknown, path = ''): [string, string][] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, `${path}/${key}`));
};

const TEMPLATES = ['authorize', 'token', 'refresh', 'revoke', 'identity', 'defaults'] as const;

const namesOf = (record: FullRecord): Set<string> =>
  new Set([
    ...ALWAYS_KNOWN,
    ...Object.keys(record.params ?? {}),
    ...Object.keys(record.defaults ?? {}),
    ...Object.keys(record.callback?.keep ?? {}),
    ...Object.keys(record.token.response?.keep ?? {}),
    ...Object.keys(record.token.upgrade?.response?.keep ?? {}),
  ]);

const findUnknownPlaceholders = (record: FullRecord): string[] => {
  const known = namesOf(record);
  return TEMPLATES.flatMap((field) => listTexts(record[field as keyof FullRecord], `/${field}`)).flatMap(
    ([path, text]) =>
      placeholdersIn(text)
        .filter((name) => !known.has(name))
        .map((name) => `${path} uses {${name}}, which is neither a param nor kept`),
  );
};

export const matchesWhole = (pattern: string, value: string): boolean => new RegExp(`^(?:${pattern})$`).test(value);

const findPatternFlaws = ({ params = {} }: FullRecord | DiscoveredRecord): string[] =>
  Object.entries(params).flatMap(([name, { pattern, example, default: standard }]) => {
    try {
      const values = [example, ...(standard === undefined ? [] : [standard])];
      return values
        .filter((value) => !matchesWhole(pattern, value))
        .map((value) => `/params/${name}/pattern does not match "${value}"`);
    } catch {
      return [`/params/${name}/pattern is not a regular expression`];
    }
  });

const findCallbackPatternFlaws = ({ callback }: FullRecord | DiscoveredRecord): string[] =>
  Object.entries(callback?.keep ?? {}).flatMap(([name, { pattern }]) => {
    try {
      matchesWhole(pattern, '');
      return [];
    } catch {
      return [`/callback/keep/${name}/pattern is not a regular expression`];
    }
  });

const isFullRecord = (record: FullRecord | DiscoveredRecord): record is FullRecord => 'authorize' in record;

/** Addresses over plain http are for trying things out. */
const findPlainAddresses = (record: FullRecord | DiscoveredRecord): string[] =>
  listTexts(record)
    .filter(([path, text]) => /\/(?:url|issuer)$/.test(path) && text.startsWith('http:'))
    .map(([path]) => `${path} must be https in production`);

/** Named domains must cover the fixed hosts, so that an entry's own URLs need no check on every request. */
const findForeignHosts = (record: FullRecord): string[] =>
  fixedHostsOf(record)
    .filter((host) => !isUnder(domainsOf(record), host))
    .map((host) => `/domains does not cover ${host}`);

/** A URL without placeholders must be valid as it is. */
const findBrokenAddresses = (record: FullRecord | DiscoveredRecord): string[] =>
  listTexts(record)
    .filter(([path, text]) => /\/(?:url|issuer)$/.test(path) && !text.includes('{') && !URL.canParse(text))
    .map(([path]) => `${path} is not a valid URL`);

/** If the callback must name the issuer, the entry must know it. Otherwise there's nothing to compare it with. */
const findMissingIssuer = ({ issuer, issuerInCallback }: FullRecord | DiscoveredRecord): string[] =>
  issuerInCallback && issuer === undefined ? ['/issuer is required when /issuerInCallback is true'] : [];

/** A token that is never spent needs no grace period, so the number would mean nothing. */
const findIdleGrace = ({ refresh }: FullRecord | DiscoveredRecord): string[] =>
  refresh?.rotates === 'never' && refresh.graceSeconds !== undefined
    ? ['/refresh/graceSeconds must not be set when /refresh/rotates is never']
    : [];

const findFlaws = (value: unknown, production: boolean): string[] => {
  const flaws = findSchemaFlaws(value);
  if (flaws.length > 0) return flaws;
  const record = value as FullRecord | DiscoveredRecord;
  return [
    ...findPatternFlaws(record),
    ...findCallbackPatternFlaws(record),
    ...findMissingIssuer(record),
    ...findIdleGrace(record),
    ...findBrokenAddresses(record),
    ...(isFullRecord(record) ? [...findUnknownPlaceholders(record), ...findForeignHosts(record)] : []),
    ...(production ? findPlainAddresses(record) : []),
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
export const readEntries = (): { file: string; record: FullRecord; evidence: Evidence }[] =>
  readdirSync(DIRECTORY)
    .sort()
    .map((file) => {
      const entry = readJson(new URL(file, DIRECTORY), file) as FullRecord & { evidence: Evidence };
      const { evidence, ...record } = entry;
      return { file, record, evidence };
    });

const readCustom = (path: string): { file: string; value: unknown }[] => {
  const list = readJson(path, path);
  if (!Array.isArray(list)) throw new CatalogueRefused([`${path} must contain a JSON array of providers.`]);
  return list.map((value, index) => ({ file: `${path}, entry ${index + 1}`, value }));
};

export type CatalogueSettings = {
  /** The operator's own file. Its entries replace built-in ones with the same id. */
  customFile: string | null;
  production: boolean;
};

const describeFlaws = (entries: readonly { file: string; value: unknown }[], production: boolean): string[] =>
  entries.flatMap(({ file, value }) => findFlaws(value, production).map((flaw) => `${file}: ${flaw}.`));

/** For the tests, which check the built-in entries. Checking them at every start took 100 ms. */
export const findBuiltInFlaws = (): string[] =>
  describeFlaws(
    readEntries().map(({ file, record: value }) => ({ file, value })),
    true,
  );

/** Reads every entry and checks the operator's own. Throws CatalogueRefused with everything that is wrong. */
export const loadCatalogue = ({ customFile, production }: CatalogueSettings): Map<string, Provider> => {
  const builtIn = readEntries().map(({ record: value }) => ({ value, custom: false }));
  const own = customFile === null ? [] : readCustom(customFile).map((read) => ({ ...read, custom: true }));
  const flaws = describeFlaws(own, production);
  const ids = own.map(({ value }) => (value as FullRecord | null)?.id).filter((id) => id !== undefined);
  const twice = ids
    .filter((id, index) => ids.indexOf(id) !== index)
    .map((id) => `${customFile}: "${id}" appears twice.`);
  if (flaws.length + twice.length > 0) throw new CatalogueRefused([...flaws, ...twice]);
  return new Map(
    [...builtIn, ...own].map(({ value, custom }) => {
      const record = value as FullRecord | DiscoveredRecord;
      return [record.id, { record, custom }];
    }),
  );
};
