import type { KeyRecord } from '../key-record.ts';
import type { BuiltInRecord, FullRecord } from '../provider.ts';

/** The evidence for a built-in entry: the last field of the entry's file. */
export type Evidence = {
  /** The day or month in which the entry was last checked against its sources. */
  checked: string;
  /**
   * Field → source. The provider's own pages are given by URL, and its own code begins with `vendor: `. Others' code and
   * pages begin with `client: `, other catalogs with `catalogue: `.
   */
  seen: Record<string, string>;
  /** Field → when and how it was tried with the provider's real service. */
  confirmed?: Record<string, string>;
  /** Fields that are known only from memory. */
  recalled?: string[];
  /** Fields that are doubtful, or whose sources contradict each other. The reason follows after a colon. */
  uncertain?: string[];
  /** Field → where it was looked for. Nothing was found there, so the entry leaves the field out. */
  lookedFor?: Record<string, string>;
  /** Fields that the entry relies on, but that nobody has checked. */
  unchecked?: string[];
  /** Field → the value it had before a source showed that the value was wrong. */
  corrected?: Record<string, string>;
  /** Why another entry has the same token URL. */
  sharedTokenUrl?: string;
  notes?: string[];
};

export type Standing = 'confirmed' | 'documented' | 'public code' | 'doubtful' | 'from memory' | 'unproven';

/** The standings of fields that somebody has tried, or that have a source. */
export const PROVED: ReadonlySet<Standing> = new Set(['confirmed', 'documented', 'public code']);

export type Relied = { field: string; written: boolean };

type Part = 'authorize' | 'token' | 'refresh' | 'revoke' | 'api' | 'webhook' | 'people' | 'log' | 'errors';

const encodingOf = (request: FullRecord['token'] | FullRecord['revoke']): string[] =>
  request?.auth === 'basic' ? ['basicEncoding'] : [];

/** The fields that a refresh inherits from the token exchange. */
const inheritedFrom = ({ headers, rename }: FullRecord['token']): string[] => [
  ...['url', 'auth', 'body', 'response'],
  ...(headers ? ['headers'] : []),
  ...(rename ? ['rename'] : []),
];

/**
 * For each part of an entry, the fields that need evidence even if the entry leaves them out, because a wrong default
 * does harm.
 */
const DEFAULTS: Record<Part, (record: FullRecord) => string[]> = {
  authorize: () => ['scopeSeparator'],
  token: ({ token }) => ['auth', 'body', 'response', ...encodingOf(token)],
  refresh: ({ token }) => [...['graceSeconds', 'idleDays', 'absoluteDays', 'leastAgeSeconds'], ...inheritedFrom(token)],
  revoke: ({ revoke }) => [
    ...['method', 'auth', 'body', 'token', 'param', 'ok', 'gone', 'kills'],
    ...encodingOf(revoke),
  ],
  api: () => ['credential'],
  webhook: () => [],
  people: () => [],
  log: () => [],
  errors: () => ['invalidGrant', 'invalidClient'],
};

const WHOLE = [
  'scopes',
  'requiredScopes',
  'params',
  'clientFields',
  'defaults',
  'callback',
  'issuer',
  'identity',
  'sites',
  'developerUrl',
  'removal',
  'grantOf',
] as const;

const fieldsOfPart = (record: FullRecord, part: Part): Relied[] => {
  const value = record[part] ?? (part === 'errors' ? {} : null);
  // An entry without this part claims that the provider has none. That claim needs evidence, too.
  if (value === null) return [{ field: part, written: false }];
  const written = Object.keys(value).map((name) => ({ field: `${part}.${name}`, written: true }));
  const defaults = DEFAULTS[part](record)
    .filter((name) => !(name in value))
    .map((name) => ({ field: `${part}.${name}`, written: false }));
  return [...written, ...defaults];
};

const listReliedOfKey = ({ api, ...record }: KeyRecord): Relied[] => [
  ...(record.kind === 'client_credentials' ? fieldsOfPart(record as never, 'token') : []),
  ...(record.kind === 'client_credentials' && record.errors ? fieldsOfPart(record as never, 'errors') : []),
  ...(record.webhook ? fieldsOfPart(record as never, 'webhook') : []),
  ...(record.people ? fieldsOfPart(record as never, 'people') : []),
  ...(record.log ? fieldsOfPart(record as never, 'log') : []),
  ...(['fields', 'params', 'defaults', 'identity'] as const)
    .filter((name) => record[name] !== undefined)
    .map((field) => ({ field, written: true })),
  ...Object.keys(api).map((name) => ({ field: `api.${name}`, written: true })),
  ...(api.credential ? [] : [{ field: 'api.credential', written: false }]),
];

const listReliedOfOauth = (record: FullRecord): Relied[] => [
  ...WHOLE.filter((name) => record[name] !== undefined).map((field) => ({ field, written: true })),
  // Without `requiredScopes`, the entry claims that a refresh needs none.
  ...(record.refresh && !record.requiredScopes ? [{ field: 'requiredScopes', written: false }] : []),
  { field: 'pkce', written: record.pkce !== undefined },
  ...(['authorize', 'token', 'refresh', 'revoke'] as const).flatMap((part) => fieldsOfPart(record, part)),
  ...(record.refresh || record.errors ? fieldsOfPart(record, 'errors') : []),
  ...(record.api ? fieldsOfPart(record, 'api') : []),
  ...(record.webhook ? fieldsOfPart(record, 'webhook') : []),
  ...(record.people ? fieldsOfPart(record, 'people') : []),
  ...(record.log ? fieldsOfPart(record, 'log') : []),
];

/** Every field that the entry relies on: those it states, and the defaults it inherits. */
export const listRelied = (record: BuiltInRecord): Relied[] =>
  'fields' in record ? listReliedOfKey(record) : listReliedOfOauth(record);

const standingOfSource = (source: string): Standing =>
  /^(?:https:\/\/(?!github\.com)|vendor: )/.test(source) ? 'documented' : 'public code';

const isWithin = (name: string, whole: string): boolean => name === whole || name.startsWith(`${whole}.`);

/** Rates the weakest evidence for the fields that `fits` selects by name. Null if there is none. */
const standingIn = (
  fits: (name: string) => boolean,
  { seen, recalled = [], uncertain = [] }: Evidence,
): Standing | null => {
  const named = (lines: readonly string[]): boolean => lines.some((line) => fits(line.split(':')[0] ?? ''));
  if (named(uncertain)) return 'doubtful';
  if (named(recalled)) return 'from memory';
  const sources = Object.entries(seen).filter(([name]) => fits(name));
  const standings = new Set(sources.map(([, source]) => standingOfSource(source)));
  return standings.has('public code') ? 'public code' : standings.has('documented') ? 'documented' : null;
};

/**
 * Rates the evidence for a field like `token.auth`. Evidence for `token.auth` itself, or for fields within it, takes
 * precedence over evidence for all of `token`.
 */
export const standingOf = ({ field, written }: Relied, evidence: Evidence): Standing => {
  const whole = field.split('.')[0] ?? field;
  // A source for the whole part covers the fields that the entry states, but not defaults.
  const ofWhole = written ? evidence : { ...evidence, seen: {} };
  const found = standingIn((name) => isWithin(name, field), evidence) ?? standingIn((name) => name === whole, ofWhole);
  if (found === 'doubtful' || found === 'from memory') return found;
  const tried = Object.keys(evidence.confirmed ?? {});
  return tried.includes(field) || (written && tried.includes(whole)) ? 'confirmed' : (found ?? 'unproven');
};

/** Lists fields that the entry relies on without any evidence. */
export const findUnproven = (record: BuiltInRecord, evidence: Evidence): string[] =>
  listRelied(record)
    .filter((relied) => standingOf(relied, evidence) === 'unproven')
    .map(({ field }) => field);
