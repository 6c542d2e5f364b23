import { type Html, html } from '../../../platform/index.ts';

const HUES = 8;

/** Two characters that stand for a name: its first two capitals, or else its first two letters or digits. */
const initialsOf = (name: string): string => {
  const capitals = [...name].filter((character) => /\p{Lu}/u.test(character));
  if (capitals.length > 1) return `${capitals[0]}${capitals[1]}`;
  const [first = '', second = ''] = [...name].filter((character) => /[\p{L}\p{N}]/u.test(character));
  return `${first.toUpperCase()}${second}`;
};

/** A hue for an ID. The same ID always gets the same hue, and hues are spread evenly. */
const hueOf = (id: string): number => [...id].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 9_973, 7) % HUES;

/** Initials in place of a logo. */
export const monogram = ({ id, name }: { id: string; name: string }): Html =>
  html`<span class="monogram hue-${hueOf(id)}" aria-hidden="true">${initialsOf(name)}</span>`;
