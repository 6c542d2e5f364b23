const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * Ranks a match. 0: the name begins with `q`, or an alias is `q`. 1: another word of the name or aliases begins with
 * `q`. 2: `q` occurs anywhere else.
 */
const distanceOf = (name: string, aliases: readonly string[], q: string): number => {
  if (name.startsWith(q) || aliases.includes(q)) return 0;
  return [name, ...aliases].some((one) => one.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(q))) ? 1 : 2;
};

/** A provider's name, its aliases, and other words to search. */
type Findable = { name: string; aliases?: readonly string[]; words: string };

/**
 * Finds all items with every word of `q` in their name, aliases or other words. Names that begin with `q` come first.
 */
export const findByWords = <One>(all: readonly One[], q: string, describe: (one: One) => Findable): One[] => {
  const wanted = plain(q).trim();
  if (wanted === '') return [...all];
  const parts = wanted.split(/\s+/);
  return all
    .map((one) => ({ one, aliases: [], ...describe(one) }))
    .map(({ name, words, ...rest }) => ({ ...rest, name, text: plain([name, words, ...rest.aliases].join(' ')) }))
    .filter(({ text }) => parts.every((part) => text.includes(part)))
    .map(({ one, name, aliases }) => ({ one, distance: distanceOf(plain(name), aliases, wanted) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ one }) => one);
};
