/** One end of a call. A number is `+` and digits; anything else stays as the provider sent it. */
export type Party = { kind: 'number' | 'sip' | 'client' | 'anonymous' | 'unknown'; value: string };

const MOST_CHARACTERS = 256;
const ANONYMOUS = new Set(['anonymous', 'restricted', 'private', 'unavailable', 'unknown', '+266696687', '266696687']);
const SHORT_CODE = /^\d{2,6}$/;

/** Providers write numbers with or without the plus, and with separators. */
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
