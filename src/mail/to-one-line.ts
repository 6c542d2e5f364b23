/** Line breaks, which could forge a mail header, and characters that reverse the writing direction. */
const UNRULY = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Makes text from a user safe for one line of an email or message. */
export const toOneLine = (text: string): string => text.toWellFormed().replace(UNRULY, ' ').trim();
