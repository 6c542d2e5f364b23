import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../../platform/index.ts';
import { badRequest, uriTooLong } from '../errors.ts';

const MOST_URL_CHARACTERS = 8 * 1024;

/**
 * Counts the headers with this name. Names and values alternate in the list. Compares lengths first, because this runs
 * for every request.
 */
const countHeaders = (rawHeaders: readonly string[], name: string): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header?.length === name.length && header.toLowerCase() === name) count++;
  }
  return count;
};

/**
 * Says what is wrong with a request, before it's known who sent it. A repeated header is refused: Node uses the first
 * one, but a proxy in front of us may have used the last.
 */
export const findFlaw = ({ url = '', rawHeaders, headers, httpVersion }: IncomingMessage): Refusal | undefined => {
  if (url.length > MOST_URL_CHARACTERS) return uriTooLong();
  if (url.includes('%00')) return badRequest('The URL contains a NUL character.');
  if (headers.host === undefined && httpVersion === '1.1') return badRequest('The Host header is missing.');
  if (countHeaders(rawHeaders, 'host') > 1) return badRequest('There is more than one Host header.');
  if (countHeaders(rawHeaders, 'authorization') > 1) return badRequest('There is more than one Authorization header.');
  return undefined;
};
