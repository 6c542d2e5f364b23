import { isKnownCategory } from '../src/dashboard/integrations/categories.ts';
import type { readEntries } from '../src/integrations/catalogue/catalogue.ts';
import { findUnproven, listRelied, PROVED, standingOf } from '../src/integrations/catalogue/evidence/evidence.ts';
import { findEntryFlaws } from '../src/integrations/catalogue/find-entry-flaws.ts';
import { domainsOf, isUnder } from '../src/integrations/catalogue/known-hosts.ts';
import { placeholdersIn } from '../src/integrations/catalogue/placeholders.ts';
import { LIFETIMES } from './grant-lifetimes.ts';

export type LintedEntry = ReturnType<typeof readEntries>[number];

/** A rule for built-in entries, besides what the service requires of every entry. Returns what is wrong. */
type Rule = (entry: LintedEntry) => string[];

const textOf = (value: unknown): string => JSON.stringify(value ?? {});

/** Checks the entry by the stricter rules of production, such as https. */
const isValid: Rule = ({ record }) => findEntryFlaws(record, true);

const isNamedAfterItsFile: Rule = ({ file, record }) =>
  file === `${record.id}.json` ? [] : ['/id is not its file name'];

/**
 * Requires domains. Without them, the entry's hosts are used as its domains, even if someone else owns those. Entries
 * for keys need no domains, because they usually have a single host.
 */
const hasDomains: Rule = ({ record }) => (record.domains || 'fields' in record ? [] : ['/domains is missing']);

const hasKnownCategory: Rule = ({ record: { category } }) =>
  category !== undefined && isKnownCategory(category) ? [] : [`/category "${category}" is not a known one`];

const hasApi: Rule = ({ record }) => (record.api ? [] : ['/api is missing']);

const usesItsParams: Rule = ({ record: { params = {}, ...rest } }) => {
  const used = new Set(placeholdersIn(textOf(rest)));
  const clientFields = 'clientFields' in rest ? rest.clientFields : {};
  return Object.entries({ params, clientFields }).flatMap(([field, values]) =>
    Object.keys(values ?? {})
      .filter((name) => !used.has(name))
      .map((name) => `/${field}/${name} is used nowhere`),
  );
};

const hasRealDates: Rule = ({ record: { sunsets = [], retired } }) =>
  [...sunsets.map(({ date }) => date), ...(retired ? [retired.since] : [])]
    .filter((day) => new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day)
    .map((day) => `${day} is not a date`);

/** Requires that every field and default is proved, doubted, or listed as unchecked or not found. */
const hasEvidence: Rule = ({ record, evidence }) => {
  const { unchecked = [], lookedFor = {} } = evidence;
  const sought = Object.keys(lookedFor);
  const relied = listRelied(record);
  const unproven = findUnproven(record, evidence);
  // What was looked for in vain may be doubtful as well, if all of its part is.
  const unfound = relied.filter((one) => !PROVED.has(standingOf(one, evidence))).map(({ field }) => field);
  const outdated = [
    ...unchecked.filter((field) => !unproven.includes(field)),
    ...sought.filter((field) => !unfound.includes(field)),
  ];
  return [
    ...unproven
      .filter((field) => !unchecked.includes(field) && !sought.includes(field))
      .map((field) => `evidence has nothing about ${field}`),
    ...outdated.map((field) => `evidence lists ${field} as unchecked or not found, but has a source for it`),
    ...Object.keys(evidence.corrected ?? {})
      .filter((field) => !relied.some((one) => one.field.startsWith(field.split('.')[0] ?? field)))
      .map((field) => `evidence/corrected names ${field}, which is no field of the entry`),
    ...Object.entries(evidence.seen)
      .filter(([, source]) => /^recalled\b/.test(source))
      .map(([field]) => `evidence/seen has no source for ${field}, and memory belongs in evidence/recalled`),
  ];
};

/**
 * Lists fields that make us lose a grant if they are wrong: we treat the grant as ended, use a token twice, or revoke
 * another connection's grant.
 */
const bold = ({ record }: LintedEntry): string[] => {
  if ('fields' in record) return [];
  const { refresh, revoke, errors } = record;
  return [
    ...(errors?.invalidGrant ? ['errors.invalidGrant'] : []),
    ...(refresh?.rotates === 'never' ? ['refresh.rotates'] : []),
    ...(refresh?.graceSeconds ? ['refresh.graceSeconds'] : []),
    ...(refresh?.absoluteUnlessScope ? ['refresh.absoluteUnlessScope'] : []),
    ...(revoke?.kills === 'token' ? ['revoke.kills'] : []),
  ];
};

const risksNoGrant: Rule = (entry) =>
  bold(entry)
    .filter((field) => !PROVED.has(standingOf({ field, written: true }, entry.evidence)))
    .map((field) => `${field} could lose a grant, and has no source`);

/** Requires that if one lifetime of a grant was looked for, the other was, too. */
const looksForBothLifetimes: Rule = ({ record, evidence: { lookedFor = {} } }) => {
  const refresh = 'fields' in record ? null : record.refresh;
  const open = LIFETIMES.filter((name) => refresh && refresh[name] === undefined);
  const sought = open.filter((name) => `refresh.${name}` in lookedFor);
  return sought.length === 0 || sought.length === open.length
    ? []
    : [`evidence/lookedFor has only one of ${open.map((name) => `refresh.${name}`).join(' and ')}`];
};

/** Requires a source for the claim that a provider has no revocation. Without one, the field is left out. */
const provesNoRevocation: Rule = ({ record, evidence }) =>
  'authorize' in record && record.revoke === null && evidence.seen['revoke'] === undefined
    ? ['/revoke is null, but nothing says that there is none']
    : [];

const RULES: readonly Rule[] = [
  isNamedAfterItsFile,
  hasDomains,
  hasKnownCategory,
  hasApi,
  usesItsParams,
  hasRealDates,
  hasEvidence,
  looksForBothLifetimes,
  provesNoRevocation,
  risksNoGrant,
];

/** Finds entries with the same token URL. Probably one of them is superfluous, or has another provider's URL. */
const findSharedTokenUrls = (entries: readonly LintedEntry[]): string[] => {
  const tokens = entries.flatMap((entry) =>
    'token' in entry.record ? [{ ...entry, url: entry.record.token.url, domains: domainsOf(entry.record) }] : [],
  );
  return [...Map.groupBy(tokens, ({ url }) => url).values()].flatMap((same) =>
    same
      .filter(({ evidence }) => evidence.sharedTokenUrl === undefined)
      .flatMap((one) => {
        // Leave out entries with other domains. Their URLs only look the same, because of placeholders.
        const others = same.filter(
          (other) =>
            other !== one &&
            // An OAuth entry doesn't have to mention an entry with client credentials that has the same token URL.
            !('authorize' in one.record && 'fields' in other.record) &&
            one.domains.some((domain) => isUnder(other.domains, domain)),
        );
        return others.length > 0
          ? [
              `${one.file}: /token/url is also that of ${others.map(({ record }) => record.id).join(', ')}. If that's right, say why in evidence/sharedTokenUrl`,
            ]
          : [];
      }),
  );
};

/** Lists everything that is wrong with the built-in entries, each with its file. */
export const lintCatalogue = (entries: readonly LintedEntry[]): string[] => [
  ...entries.flatMap((entry) => {
    const invalid = isValid(entry);
    const flaws = invalid.length > 0 ? invalid : RULES.flatMap((rule) => rule(entry));
    return flaws.map((flaw) => `${entry.file}: ${flaw}.`);
  }),
  ...findSharedTokenUrls(entries).map((flaw) => `${flaw}.`),
];
