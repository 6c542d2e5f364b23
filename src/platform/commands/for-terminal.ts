/** Removes control and direction characters: a name could otherwise send the terminal commands or reverse the line. */
export const forTerminal = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');
