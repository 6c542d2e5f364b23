/** One word of a command, to be pasted into a shell. Email addresses may contain what shells expand. */
export const quoteForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
