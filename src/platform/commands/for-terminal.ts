/** Removes control and direction characters: a name could otherwise control the terminal or reverse the line. */
export const forTerminal = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * JSON with all control and direction characters escaped, because JSON itself escapes only some. It parses to the same
 * value.
 */
export const toTerminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Cf}]/gu, (character) => character.split('').map(escapeUnit).join(''));
