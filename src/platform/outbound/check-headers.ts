import { validateHeaderName, validateHeaderValue } from 'node:http';
import { OutboundFailed } from './outbound-failed.ts';

/** Headers that only we set, because they decide where a message goes and where it ends. */
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

/** Returns the headers with lowercase names. Refuses line breaks, which could start another header or request. */
export const checkHeaders = (headers: Readonly<Record<string, string>>, host: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase();
      if (OURS.test(name) || !isSendable(name, value)) throw new OutboundFailed('bad_header', host);
      return [name, value];
    }),
  );
