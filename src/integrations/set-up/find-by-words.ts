const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** 0 if the name begins with what was entered or it's called just that, 1 if another of its words does, 2 if it's anywhere else. */
const distanceOf = (name: string, aliases: readonly string[], q: string): number => {
  if (name.startsWith(q) || aliases.includes(q)) return 0;
  return [name, ...aliases].some((one) => one.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(q))) ? 1 : 2;
};

/** A provider, and what a search for it looks through besides. */
type Findable = { name: string; aliases?: readonly string[]; words: string };

/** Those with every word of `q` in their name, aliases or other words: first those whose name begins with it. */
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
