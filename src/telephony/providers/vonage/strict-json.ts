import type { Fields } from '../../provider-parts/values.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs;

/** Whether JSON has the same name twice in an object, which parsers read differently. */
const repeatsName = (text: string): boolean => {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (colon) {
      const name: string = JSON.parse(token.slice(0, -colon.length));
      const names = open.at(-1);
      if (names?.has(name)) return true;
      names?.add(name);
    }
  }
  return false;
};

/** Parses an object that can be read in only one way: valid UTF-8, no byte order mark, and no duplicate names. */
export const parseStrictly = (bytes: Uint8Array): Fields | null => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
    return repeatsName(text) ? null : (parsed as Fields);
  } catch {
    return null;
  }
};
