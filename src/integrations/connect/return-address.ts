import { toLocalPath } from '../../teams/index.ts';
import { returnRefused } from '../errors.ts';

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

const OURS = new Set(['provider', 'connection', 'outcome', 'error', 'attempt', 'siteNeeded']);

const nameOf = (part: string): string => [...new URLSearchParams(part).keys()][0] ?? '';

/** The address as given, with the outcome added and any older outcome removed. */
export const addOutcome = (returnTo: string, outcome: Readonly<Record<string, string>>): string => {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(returnTo) ?? [];
  const kept = query.split('&').filter((part) => part !== '' && !OURS.has(nameOf(part)));
  const added = new URLSearchParams(outcome).toString();
  return `${before}?${[...kept, added].join('&')}${fragment}`;
};
