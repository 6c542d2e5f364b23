import { validateHeaderName, validateHeaderValue } from 'node:http';
import { OutboundFailed } from './outbound-failed.ts';

/** Headers that decide where a message goes and where it ends. Callers can't set them. */
const OURS =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

const isSendable = (name: string, value: string): boolean => {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
};

/** The same headers with lowercase names. A line break in one could start another header, or another request. */
export const checkHeaders = (headers: Readonly<Record<string, string>>, host: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase();
      if (OURS.test(name) || !isSendable(name, value)) throw new OutboundFailed('bad_header', host);
      return [name, value];
    }),
  );
