/** One end of a call. A number is `+` and digits. Any other value stays as the provider sent it. */
export type Party = {
  kind: 'number' | 'sip' | 'client' | 'anonymous' | 'unknown';
  value: string;
  /** The name, if the provider sends one. */
  name?: string;
};

const MOST_CHARACTERS = 256;
const ANONYMOUS = new Set(['anonymous', 'restricted', 'private', 'unavailable', 'unknown', '+266696687', '266696687']);
const SHORT_CODE = /^\d{2,6}$/;

/** Reads a party from a provider's text. Numbers come with or without the plus, and with separators. */
export const toParty = (text: string | null | undefined): Party => {
  const value = (text ?? '').trim().slice(0, MOST_CHARACTERS);
  if (value === '') return { kind: 'unknown', value: '' };
  if (/^sips?:/i.test(value)) return { kind: 'sip', value };
  if (/^client:/i.test(value)) return { kind: 'client', value };
  if (ANONYMOUS.has(value.toLowerCase())) return { kind: 'anonymous', value: '' };
  const digits = value.replace(/[\s().-]/g, '');
  if (SHORT_CODE.test(digits)) return { kind: 'number', value: digits };
  if (/^\+?[1-9]\d{6,14}$/.test(digits))
    return { kind: 'number', value: digits.startsWith('+') ? digits : `+${digits}` };
  return { kind: 'unknown', value };
};

const MOST_NAME_CHARACTERS = 100;
/** Texts that carriers send if they don't know the name. */
const NO_NAME =
  /^(?:(?:name |caller )?(?:unavailable|unknown|anonymous|private|restricted)(?: name| caller)?|wireless caller)$/i;

/** Adds the caller's name, if the provider looked it up. Some providers send the number again if there is no name. */
export const nameParty = (party: Party, text: string | null | undefined): Party => {
  const name = (text ?? '')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_NAME_CHARACTERS)
    .trimEnd();
  return name === '' || NO_NAME.test(name) || /^[+\d\s().-]+$/.test(name) ? party : { ...party, name };
};
