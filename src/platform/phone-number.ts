import { createRequire } from 'node:module';
import type { E164Number, MetadataJson, PhoneNumber } from 'libphonenumber-js/core';

const require = createRequire(import.meta.url);

/** Loads the library when the first number is shown. Until then, the service uses 14 MB less memory. */
let load = () => {
  const core: typeof import('libphonenumber-js/core') = require('libphonenumber-js/core');
  const metadata: MetadataJson = require('libphonenumber-js/metadata.min.json');
  const parseAnyway = (number: string) => core.parsePhoneNumberFromString(number, metadata);
  const library = {
    /** Parses a number as a person has written it, in the country of another number. */
    parseWritten: (text: string, callingCode: string): PhoneNumber | undefined =>
      core.parsePhoneNumberFromString(text, { defaultCallingCode: callingCode, extract: false }, metadata),
    /**
     * If the digits can be a complete number, takes them as they are. That is 30 times as fast as finding out which of
     * the 25 countries that share +1 has the number, and formats don't depend on the country. Otherwise, parses the
     * number in full, which also removes a national prefix.
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

/** A number with a country code. Any other caller that a provider reports, such as a SIP address, isn't formatted. */
const INTERNATIONAL = /^\+\d{5,15}$/;

export const isPhoneNumber = (number: string): boolean => INTERNATIONAL.test(number);

const parse = (number: string): PhoneNumber | undefined => (isPhoneNumber(number) ? load().parse(number) : undefined);

/** Returns the calling code: `1` for `+15555550197`. Null if the number has none. */
export const callingCodeOf = (number: string): string | null => parse(number)?.countryCallingCode ?? null;

/**
 * Formats a number as people write it: "(555) 555-0197" if it has the calling code `homeCode`, otherwise "+44 20 7946
 * 0958". For people only: programs get the number as the provider sent it.
 */
export const formatPhoneNumber = (number: string, homeCode: string | null): string => {
  const parsed = parse(number);
  if (!parsed?.isPossible()) return number;
  return parsed.countryCallingCode === homeCode ? parsed.formatNational() : parsed.formatInternational();
};

/** A number with and without its plus, and without its country code. */
export type NumberForms = { e164: string; allDigits: string; national: string };

/** The forms in which a number may be stored elsewhere. Null if it has no country code, or can't be a number. */
export const formsOf = (number: string): NumberForms | null => {
  const parsed = parse(number);
  if (!parsed?.isPossible()) return null;
  const { number: e164, nationalNumber: national } = parsed;
  return { e164, allDigits: e164.slice(1), national };
};

/** How much of a text is read as a number. */
const MOST_WRITTEN = 40;

/**
 * Whether a text, as a person has written it, is this number. A text without a country code counts as a number of the
 * same country.
 */
export const isWrittenAs = (text: string, number: string): boolean => {
  const parsed = parse(number);
  if (!parsed || text.length > MOST_WRITTEN) return false;
  if (text === parsed.number) return true;
  const dialed = text.trim().replace(/^00/, '+');
  return load().parseWritten(dialed, parsed.countryCallingCode)?.number === parsed.number;
};
