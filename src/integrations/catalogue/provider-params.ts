import { paramsInvalid } from '../errors.ts';
import { matchesWhole } from './find-entry-flaws.ts';
import { isBase, type Values, withDefaults } from './placeholders.ts';
import type { FullRecord, ProviderRecord } from './provider.ts';

/** Added to the message because people paste URLs from their browser, which have both. */
const BARE = ', without https:// and without a slash at the end';

/** Checks that the entry has every given param, and that each value matches its pattern. */
export const checkParams = ({ params = {} }: Pick<ProviderRecord, 'params'>, given: Values): void => {
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const known = Object.hasOwn(params, name) ? params[name] : undefined;
    if (!known) return [{ path: `params.${name}`, message: 'is not a param of this provider' }];
    return matchesWhole(known.pattern, value) && (!known.base || isBase(value))
      ? []
      : [{ path: `params.${name}`, message: `must look like "${known.example}"${known.base ? BARE : ''}` }];
  });
  if (wrong.length > 0) throw paramsInvalid(wrong);
};

/** Whether a param that has no default is missing, so that a person has to enter it. */
export const lacksParams = ({ params = {} }: Pick<ProviderRecord, 'params'>, known: Values): boolean =>
  Object.entries(params).some(([name, { default: standard }]) => standard === undefined && !Object.hasOwn(known, name));

/** Checks the given params and fills in the entry's defaults. */
export const completeParams = (
  { params = {}, defaults }: Pick<ProviderRecord, 'params' | 'defaults'>,
  given: Values,
): Values => {
  checkParams({ params }, given);
  const missing = Object.entries(params)
    .filter(([name, { default: standard }]) => standard === undefined && !Object.hasOwn(given, name))
    .map(([name, { example }]) => ({ path: `params.${name}`, message: `is required, for example "${example}"` }));
  if (missing.length > 0) throw paramsInvalid(missing);
  return withDefaults(given, { params, defaults });
};

/**
 * Adds values kept from a refresh. A token response never changes values that the person entered or the callback
 * confirmed, because these values decide where tokens are sent.
 */
export const addKept = (
  { params = {}, callback }: Pick<FullRecord, 'params' | 'callback'>,
  known: Values,
  kept: Values,
): Values => {
  const confirmed = new Set([...Object.keys(params), ...Object.keys(callback?.keep ?? {})]);
  const added = Object.entries(kept).filter(([name]) => !confirmed.has(name) || !Object.hasOwn(known, name));
  return { ...known, ...Object.fromEntries(added) };
};
