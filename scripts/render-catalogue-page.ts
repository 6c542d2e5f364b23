import { readEntries } from '../src/integrations/catalogue/catalogue.ts';
import { listRelied, type Standing, standingOf } from '../src/integrations/catalogue/evidence/evidence.ts';
import { judgeEvidence } from '../src/integrations/catalogue/evidence/judge-evidence.ts';
import { CONFIDENCE } from '../src/integrations/catalogue/proof.ts';
import { GRANT_LIFETIMES } from './grant-lifetimes.ts';

type Entry = ReturnType<typeof readEntries>[number];

const revocationOf = (record: Entry['record']) => ('fields' in record ? undefined : record.revoke);
const isSought = ({ lookedFor = {} }: Entry['evidence']): boolean => 'revoke' in lookedFor;

/** What is known about how access is revoked. */
const REVOCATIONS: Record<string, (entry: Entry) => boolean> = {
  'a revocation is stated': ({ record }) => Boolean(revocationOf(record)),
  'there is none, with a source': ({ record }) => revocationOf(record) === null,
  'looked for, and not found or nothing that an entry can state yet': ({ record, evidence }) =>
    revocationOf(record) === undefined && isSought(evidence),
  'not looked for': ({ record, evidence }) => revocationOf(record) === undefined && !isSought(evidence),
};

const COLUMNS: Record<string, readonly Standing[]> = {
  tried: ['confirmed'],
  "provider's pages": ['documented'],
  'public code': ['public code'],
  doubtful: ['doubtful'],
  'not checked': ['from memory', 'unproven'],
};
const columns = Object.values(COLUMNS);

const rowOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const tableOf = (states: Record<string, (entry: Entry) => boolean>, entries: readonly Entry[]): string =>
  [
    '| | entries |',
    '| --- | --- |',
    ...Object.entries(states).map(([name, fits]) => rowOf([name, entries.filter(fits).length])),
  ].join('\n');

/** Renders the page that lists all providers, and how well the evidence supports each entry. */
export const renderCataloguePage = (): string => {
  const entries = readEntries().map(({ record, evidence }) => {
    const standings = listRelied(record).map((relied) => standingOf(relied, evidence));
    const counts = columns.map((wanted) => standings.filter((one) => wanted.includes(one)).length);
    return { record, confidence: judgeEvidence(record, evidence).confidence, counts };
  });
  const oauth = readEntries().filter(({ record }) => !('fields' in record));
  const ofKind = (isKey: boolean) => entries.filter(({ record }) => 'fields' in record === isKey);
  const summaryOf = (name: string, some: typeof entries): string =>
    rowOf([name, some.length, ...CONFIDENCE.map((one) => some.filter(({ confidence }) => confidence === one).length)]);
  const totals = columns.map((_, index) => entries.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));
  return `# The built-in providers

This page is generated from \`src/integrations/catalogue/entries/\` by \`npm run generate\`. [providers.md](providers.md#evidence) says what the words mean.

| | entries | ${CONFIDENCE.join(' | ')} |
| --- | --- | --- | --- | --- | --- |
${summaryOf('OAuth', ofKind(false))}
${summaryOf('key', ofKind(true))}

How access is revoked, of the OAuth entries:

${tableOf(REVOCATIONS, oauth)}

How long a grant lives while nobody withdraws it, of the OAuth entries:

${tableOf(GRANT_LIFETIMES, oauth)}

The numbers below are fields and defaults that an entry relies on, by the best evidence there is for each. *Not checked* includes fields from memory.

| entry | kind | confidence | ${Object.keys(COLUMNS).join(' | ')} |
| --- | --- | --- | --- | --- | --- | --- | --- |
${entries.map(({ record, confidence, counts }) => rowOf([record.id, record.kind ?? 'oauth2', confidence, ...counts])).join('\n')}
${rowOf([`**${entries.length}**`, '', '', ...totals.map((total) => `**${total}**`)])}
`;
};
