import { createRequire } from 'node:module';
import type { E164Number, MetadataJson, PhoneNumber } from 'libphonenumber-js/core';

const require = createRequire(import.meta.url);

/** Loaded when the first number is shown: a service that shows none does without its 14 MB. */
let load = () => {
  const core: typeof import('libphonenumber-js/core') = require('libphonenumber-js/core');
  const metadata: MetadataJson = require('libphonenumber-js/metadata.min.json');
  const parseAnyway = (number: string) => core.parsePhoneNumberFromString(number, metadata);
  const library = {
    /**
     * As it is, if it can be a whole number. Otherwise also without a national prefix, and with the rules of its country:
     * to find out which of the 25 that share +1 it is takes 30 times as long, and formats don't depend on it.
     */
    parse(number: string): PhoneNumber | undefined {
      try {
        const parsed = new core.PhoneNumber(number as E164Number, metadata);
        return parsed.isPossible() && !parsed.nationalNumber.startsWith('0') ? parsed : parseAnyway(number);
      } catch {
        return parseAnyway(number);
      }
    },
  };
  load = () => library;
  return library;
};

/** With a country code. Anything else that a provider calls a number, such as a SIP address, stays as it is. */
const INTERNATIONAL = /^\+\d{5,15}$/;

export const isPhoneNumber = (number: string): boolean => INTERNATIONAL.test(number);

const parse = (number: string): PhoneNumber | undefined => (isPhoneNumber(number) ? load().parse(number) : undefined);

/** `+15555550197` → `1`. Null if it has none. */
export const callingCodeOf = (number: string): string | null => parse(number)?.countryCallingCode ?? null;

/**
 * The way people write it: "(555) 555-0197" for those who share its calling code, "+44 20 7946 0958" for others. For
 * people only: what programs read stays as the provider sent it.
 */
export const formatPhoneNumber = (number: string, homeCode: string | null): string => {
  const parsed = parse(number);
  if (!parsed?.isPossible()) return number;
  return parsed.countryCallingCode === homeCode ? parsed.formatNational() : parsed.formatInternational();
};
