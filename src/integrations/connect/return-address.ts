import { toLocalPath } from '../../teams/index.ts';
import { returnRefused } from '../errors.ts';

const MOST_CHARACTERS = 2_000;

/**
 * Checks the URL that a person is sent to after the callback. It must be a path of ours, or within an allowed origin.
 */
export const checkReturnAddress = (returnTo: string, origins: readonly string[]): string => {
  const path = toLocalPath(returnTo);
  if (path !== null) return path;
  const url =
    /^https?:\/\/[^\\\p{Cc}\s]+$/u.test(returnTo) && returnTo.length <= MOST_CHARACTERS ? URL.parse(returnTo) : null;
  if (!url || url.username || url.password || !origins.includes(url.origin)) throw returnRefused();
  return url.href;
};

const OURS = new Set(['provider', 'connection', 'outcome', 'error', 'attempt', 'siteNeeded']);

const nameOf = (part: string): string => [...new URLSearchParams(part).keys()][0] ?? '';

/** Adds the outcome to a return URL, and removes any older outcome. */
export const addOutcome = (returnTo: string, outcome: Readonly<Record<string, string>>): string => {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(returnTo) ?? [];
  const kept = query.split('&').filter((part) => part !== '' && !OURS.has(nameOf(part)));
  const added = new URLSearchParams(outcome).toString();
  return `${before}?${[...kept, added].join('&')}${fragment}`;
};
