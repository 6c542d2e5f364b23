/**
 * Quotes one word of a command to be pasted into a shell. An email address may contain characters that shells expand.
 */
export const quoteForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
