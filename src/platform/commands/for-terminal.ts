/** Text that a terminal only shows: a name can hold what it takes for a command, or what turns the rest of a line around. */
export const forTerminal = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');
