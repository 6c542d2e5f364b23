import { isOpenSetting } from './read-open-settings.ts';
import { settings } from './settings.ts';

const NAMES = new Set(Object.values(settings).map(({ name }) => name));
/** Prefixes that only our settings use. Other names may belong to something else on the machine. */
const OURS = /^(?:PATCHBAY|OAUTH)_/;
/** A misspelled name differs from the setting's real name in at most this fraction of its characters. */
const MOST_DIFFERENT = 0.4;

/** Whether a setting has this name. Whether the provider in the name exists is checked in `readProviders`. */
export const isSettingName = (name: string): boolean => NAMES.has(name) || isOpenSetting(name);

/** Finds names that look like our settings, but aren't, most likely because they're misspelled. */
export const findUnknownNames = (values: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(values).filter((name) => OURS.test(name) && values[name]?.trim() && !isSettingName(name));

/** How many characters have to be inserted, removed, or replaced to turn one name into the other. */
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
 * Finds the setting that was probably meant: among settings with the same first word and few differences, the one that
 * shares the most words. `ofProviders` are the settings whose names contain a provider's name.
 */
export const findNearestName = (name: string, ofProviders: Iterable<string>): string | null => {
  const [nearest] = [...NAMES, ...ofProviders]
    .filter((known) => firstWordOf(known) === firstWordOf(name))
    .map((known) => ({ known, shared: countShared(name, known), distance: distanceBetween(name, known) }))
    .filter(({ distance }) => distance <= MOST_DIFFERENT * name.length)
    .sort((one, other) => other.shared - one.shared || one.distance - other.distance);
  return nearest?.known ?? null;
};
