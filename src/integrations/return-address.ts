import { toLocalPath } from '../teams/index.ts';
import { returnRefused } from './errors.ts';

const MOST_CHARACTERS = 2_000;

/** Where a person may be sent after the callback: a path of ours, or a place within an allowed origin. */
export const checkReturnAddress = (returnTo: string, origins: readonly string[]): string => {
  const path = toLocalPath(returnTo);
  if (path !== null) return path;
  const url =
    /^https?:\/\/[^\\\p{Cc}\s]+$/u.test(returnTo) && returnTo.length <= MOST_CHARACTERS ? URL.parse(returnTo) : null;
  if (!url || url.username || url.password || !origins.includes(url.origin)) throw returnRefused();
  return url.href;
};

const ANY_BASE = 'http://patchbay.invalid';

/** The address with the outcome added, and nothing of an older outcome left in it. */
export const addOutcome = (returnTo: string, outcome: Readonly<Record<string, string>>): string => {
  const url = new URL(returnTo, ANY_BASE);
  for (const name of ['provider', 'outcome', 'error', 'attempt']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url.origin === ANY_BASE ? `${url.pathname}${url.search}${url.hash}` : url.href;
};
