const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * How far a provider is from the search. 0: its name begins with `q`, or an alias is `q`. 1: another word of its name
 * or aliases begins with `q`. 2: `q` is anywhere else.
 */
const distanceOf = (name: string, aliases: readonly string[], q: string): number => {
  if (name.startsWith(q) || aliases.includes(q)) return 0;
  return [name, ...aliases].some((one) => one.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(q))) ? 1 : 2;
};

/** A provider's name and aliases, and other words that a search looks through. */
type Findable = { name: string; aliases?: readonly string[]; words: string };

/**
 * Finds everything with every word of `q` in its name, aliases or other words. A name that begins with `q` comes first.
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
