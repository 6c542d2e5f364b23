import { isOpenSetting } from './read-open-settings.ts';
import { settings } from './settings.ts';

const NAMES = new Set(Object.values(settings).map(({ name }) => name));
/** Nobody else uses these prefixes. All others may belong to something else on the machine. */
const OURS = /^(?:PATCHBAY|OAUTH)_/;
/** Names that differ in more than this share of their characters aren't meant for each other. */
const MOST_DIFFERENT = 0.4;

/** Whether a setting has this name. Whether there is such a provider is known later. */
export const isSettingName = (name: string): boolean => NAMES.has(name) || isOpenSetting(name);

/** Names that look like settings of ours and aren't, most likely because they're misspelled. */
export const findUnknownNames = (values: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(values).filter((name) => OURS.test(name) && values[name]?.trim() && !isSettingName(name));

/** How many characters have to be inserted, removed, or replaced. */
const distanceBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(Math.min((row[at] ?? 0) + Number(character !== wanted), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    row = next;
  }
  return row[other.length] ?? 0;
};

const countShared = (one: string, other: string): number =>
  new Set(one.split('_')).intersection(new Set(other.split('_'))).size;

const firstWordOf = (name: string): string => name.split('_')[0] ?? '';

/**
 * The setting that was probably meant: of those that begin alike and differ little, the one with the most words in common. `ofProviders`
 * are those whose names contain a provider's.
 */
export const findNearestName = (name: string, ofProviders: Iterable<string>): string | null => {
  const [nearest] = [...NAMES, ...ofProviders]
    .filter((known) => firstWordOf(known) === firstWordOf(name))
    .map((known) => ({ known, shared: countShared(name, known), distance: distanceBetween(name, known) }))
    .filter(({ distance }) => distance <= MOST_DIFFERENT * name.length)
    .sort((one, other) => other.shared - one.shared || one.distance - other.distance);
  return nearest?.known ?? null;
};
