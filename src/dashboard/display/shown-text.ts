import { type Html, html } from '../../platform/index.ts';

/**
 * Characters that nobody sees, that look like an ordinary space, or that change the order of others. Two of them are
 * symbols by their category: the Braille pattern without dots, and the musical symbol that is none.
 */
const UNSEEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{1D159}]/gu;

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** With more of them, a text says nothing to a reader, and takes long to show. */
const MOST_UNSEEN = 2_000;

/** Whether a text can be shown as one. */
export const isLegible = (text: string): boolean => text.matchAll(UNSEEN).drop(MOST_UNSEEN).next().done === true;

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

const BRACKET_OR_COMMA = /"(?:[^"\\]|\\.)*"|[[\]{},]/g;
/** How much longer than the text its indented form may be. Deep nesting would make megabytes of spaces of a short text. */
const MOST_TIMES_LONGER = 8;

/** Whether indenting takes little room. Each bracket and comma puts a line break and its depth in spaces into the text. */
const isShallow = (json: string): boolean => {
  let depth = 0;
  let spaces = 0;
  for (const [found] of json.matchAll(BRACKET_OR_COMMA)) {
    if (found.startsWith('"')) continue;
    if (found === '{' || found === '[') depth++;
    else if (found !== ',') depth--;
    spaces += 1 + 2 * depth;
    if (spaces > json.length * MOST_TIMES_LONGER) return false;
  }
  return true;
};

/**
 * Indents JSON. Leaves a text as it is if that would change anything but white space: if a field occurs twice, for
 * example, only one of them would be shown. Also leaves a text as it is that is nested deeply.
 */
export const indentJson = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === compact(text);
    return isSame && isShallow(text) ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
};
