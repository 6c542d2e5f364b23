/** Line breaks could forge a mail header or a line of text; the others reverse the writing direction. */
const UNRULY = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** User-supplied text, made safe for one line of an email or message. */
export const toOneLine = (text: string): string => text.toWellFormed().replace(UNRULY, ' ').trim();
