import type { Party } from '../contract/party.ts';

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a request's text contains this party. A short code or a plain word must be a whole value in the text. */
export const mentions = (text: string, { kind, value }: Party): boolean => {
  if (kind === 'number' && value.startsWith('+')) return new RegExp(`(?<!\\d)${value.slice(1)}(?!\\d)`).test(text);
  const written = [value, encodeURIComponent(value), new URLSearchParams({ value }).toString().slice('value='.length)];
  if (kind === 'sip' || kind === 'client') return written.some((way) => text.includes(way));
  return new RegExp(`(?:^|[=":\\s])(?:${written.map(escapePattern).join('|')})(?:$|[&",}\\s])`, 'm').test(text);
};
