import { type Html, html } from '../../platform/index.ts';

/** Characters that nobody sees, that look like an ordinary space, or that change the order of others. */
const UNSEEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A text of unknown origin, with the names of characters that a reader couldn't see. */
export const showText = (text: string): Html => {
  const parts: Html[] = [];
  let at = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    parts.push(html`${text.slice(at, index)}<mark>${nameOf(character)}</mark>`);
    at = index + character.length;
  }
  return html`${parts}${text.slice(at)}`;
};

const OUTSIDE_STRINGS = /"(?:[^"\\]|\\.)*"|\s+/g;

/** The text without white space between its tokens. */
const compact = (json: string): string =>
  json.replace(OUTSIDE_STRINGS, (found) => (found.startsWith('"') ? found : ''));

/**
 * Indents JSON. Leaves a text as it is if that would change anything but white space: if a field occurs twice, for
 * example, only one of them would be shown.
 */
export const indentJson = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === compact(text) ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
};
