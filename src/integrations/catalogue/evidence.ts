import type { FullRecord } from './provider.ts';

/** What an entry rests on, as it stands beside it in `catalogue/evidence/`. */
export type Evidence = {
  /** The day, or the month, on which it was last held against its sources. */
  checked: string;
  /** Field → source. The provider's own pages are given by their address. */
  seen: Record<string, string>;
  /** From memory. */
  recalled?: string[];
  /** Doubtful, or sources contradict each other; after a colon, why. */
  uncertain?: string[];
  /** Relied on, and held against nothing. */
  unchecked?: string[];
  /** Field → what it was before a source showed it to be wrong. */
  corrected?: Record<string, string>;
  notes?: string[];
};

export type Standing = 'documented' | 'public code' | 'doubtful' | 'from memory' | 'unproven';

type Relied = { field: string; written: boolean };

type Part = 'authorize' | 'token' | 'refresh' | 'revoke' | 'errors';

const encodingOf = (request: FullRecord['token'] | FullRecord['revoke']): string[] =>
  request?.auth === 'basic' ? ['basicEncoding'] : [];

/** What a refresh takes over from the exchange. */
const inheritedFrom = ({ headers, rename }: FullRecord['token']): string[] => [
  ...['url', 'auth', 'body', 'response'],
  ...(headers ? ['headers'] : []),
  ...(rename ? ['rename'] : []),
];

/** Parts whose fields are relied on one by one; each is given with the defaults that do harm where they are wrong. */
const DEFAULTS: Record<Part, (record: FullRecord) => string[]> = {
  authorize: () => ['scopeSeparator'],
  token: ({ token }) => ['auth', 'body', 'response', ...encodingOf(token)],
  refresh: ({ token }) => [...['graceSeconds', 'idleDays', 'absoluteDays', 'leastAgeSeconds'], ...inheritedFrom(token)],
  revoke: ({ revoke }) => [
    ...['method', 'auth', 'body', 'token', 'param', 'ok', 'gone', 'kills'],
    ...encodingOf(revoke),
  ],
  errors: () => ['invalidGrant', 'invalidClient'],
};

const WHOLE = ['scopes', 'requiredScopes', 'params', 'defaults', 'callback', 'issuer', 'identity'] as const;

const fieldsOfPart = (record: FullRecord, part: Part): Relied[] => {
  const value = record[part] ?? (part === 'errors' ? {} : null);
  // That there is none is a statement too.
  if (value === null) return [{ field: part, written: false }];
  const written = Object.keys(value).map((name) => ({ field: `${part}.${name}`, written: true }));
  const defaults = DEFAULTS[part](record)
    .filter((name) => !(name in value))
    .map((name) => ({ field: `${part}.${name}`, written: false }));
  return [...written, ...defaults];
};

/** Every field that the entry relies on: those that are written, and the defaults that it takes over. */
export const listRelied = (record: FullRecord): Relied[] => [
  ...WHOLE.filter((name) => record[name] !== undefined).map((field) => ({ field, written: true })),
  // Without any, the refresh is said to need none.
  ...(record.refresh && !record.requiredScopes ? [{ field: 'requiredScopes', written: false }] : []),
  { field: 'pkce', written: record.pkce !== undefined },
  ...(['authorize', 'token', 'refresh', 'revoke'] as const).flatMap((part) => fieldsOfPart(record, part)),
  ...(record.refresh || record.errors ? fieldsOfPart(record, 'errors') : []),
];

const standingOfSource = (source: string): Standing =>
  /^https:\/\/(?!github\.com)/.test(source) ? 'documented' : 'public code';

const isWithin = (name: string, whole: string): boolean => name === whole || name.startsWith(`${whole}.`);

/** The least that is said of what the name stands for. */
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

/** What is said of the field, or of parts of it, counts before what is said of the whole that it belongs to. */
export const standingOf = ({ field, written }: Relied, evidence: Evidence): Standing => {
  const whole = field.split('.')[0] ?? field;
  // A source for the whole shows what is written in it, and not what is left out.
  const ofWhole = written ? evidence : { ...evidence, seen: {} };
  return (
    standingIn((name) => isWithin(name, field), evidence) ?? standingIn((name) => name === whole, ofWhole) ?? 'unproven'
  );
};

/** Fields that the entry relies on although its evidence has no word about them. */
export const findUnproven = (record: FullRecord, evidence: Evidence): string[] =>
  listRelied(record)
    .filter((relied) => standingOf(relied, evidence) === 'unproven')
    .map(({ field }) => field);
