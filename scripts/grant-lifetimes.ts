import type { readEntries } from '../src/integrations/catalogue/catalogue.ts';
import { PROVED, standingOf } from '../src/integrations/catalogue/evidence/evidence.ts';
import type { FullRecord } from '../src/integrations/catalogue/provider.ts';

type Entry = Pick<ReturnType<typeof readEntries>[number], 'record' | 'evidence'>;

/** The fields of `refresh` that say how long a grant lives. */
export const LIFETIMES = ['idleDays', 'absoluteDays'] as const;

const refreshOf = (record: Entry['record']): FullRecord['refresh'] => ('fields' in record ? undefined : record.refresh);

const isStated = ({ record }: Entry): boolean => LIFETIMES.some((name) => refreshOf(record)?.[name] !== undefined);

const isSought = ({ evidence: { lookedFor = {} } }: Entry): boolean =>
  LIFETIMES.some((name) => `refresh.${name}` in lookedFor);

/** Whether every lifetime that the entry states has a source, or, if it states none, that there is none. */
const isProved = ({ record, evidence }: Entry): boolean => {
  const stated = LIFETIMES.filter((name) => refreshOf(record)?.[name] !== undefined);
  return (stated.length > 0 ? stated : LIFETIMES).every((name) =>
    PROVED.has(standingOf({ field: `refresh.${name}`, written: stated.includes(name) }, evidence)),
  );
};

/** What is known about how long an OAuth grant lives. Exactly one of these is true of each entry. */
export const GRANT_LIFETIMES: Record<string, (entry: Entry) => boolean> = {
  'a lifetime is stated, with a source': (entry) => isStated(entry) && isProved(entry),
  'a lifetime is stated, and is doubtful or from memory': (entry) => isStated(entry) && !isProved(entry),
  'a grant never ends by itself, with a source': (entry) =>
    Boolean(refreshOf(entry.record)) && !isStated(entry) && isProved(entry),
  'there is no refresh token': ({ record }) => !refreshOf(record),
  'looked for, and not found or nothing that an entry can state': (entry) =>
    Boolean(refreshOf(entry.record)) && !isStated(entry) && !isProved(entry) && isSought(entry),
  'not looked for': (entry) =>
    Boolean(refreshOf(entry.record)) && !isStated(entry) && !isProved(entry) && !isSought(entry),
};
