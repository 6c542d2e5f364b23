const MOST_CHARACTERS = 500;

/** What a row keeps of a failure: one short line, never the stack. PostgreSQL refuses a NUL in a text. */
export const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return 'Something other than an error was thrown.';
  const line = error.message.replace(/\p{Cc}+/gu, ' ').trim();
  return (line || error.name).slice(0, MOST_CHARACTERS).toWellFormed();
};
