import { readFileSync } from 'node:fs';
import { type Html, html } from '../../../platform/index.ts';
import { monogram } from './monogram.ts';

type Logo = { color: string; path: string };

/** The logos of built-in entries, made by `npm run generate`. See docs/decisions/039-logos.md. */
const LOGOS: Readonly<Record<string, Logo>> = JSON.parse(
  readFileSync(new URL('./logos.json', import.meta.url), 'utf8'),
);

const [LIGHT_INK, DARK_INK] = ['#fff', '#1d2126'];
/** A little less contrast than text needs: logos are large shapes, and most brands show theirs in white. */
const LEAST_CONTRAST = 2.5;

/** The perceived brightness of a color, from 0 (black) to 1 (white), according to WCAG 2. */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The color that is readable on a brand's color: white if possible. */
export const inkOn = (color: string): string =>
  1.05 / (luminanceOf(color) + 0.05) >= LEAST_CONTRAST ? LIGHT_INK : DARK_INK;

export type LogoOf = (provider: { id: string; name: string }) => Html;

/**
 * The brand's logo on its own color, so that it looks the same in light and dark mode. Initials if there is no logo.
 */
export const logo: LogoOf = ({ id, name }) => {
  const known = Object.hasOwn(LOGOS, id) ? LOGOS[id] : undefined;
  if (!known) return monogram({ id, name });
  const { color, path } = known;
  return html`<svg class="logo" viewBox="-8 -8 40 40" aria-hidden="true" fill="${inkOn(color)}"><path fill="${color}" d="M-8-8h40v40H-8z"/><path d="${path}"/></svg>`;
};

/** Draws logos up to a total size, for a page that must stay small. Later providers get initials. */
export const createLogos = (mostBytes: number): LogoOf => {
  let left = mostBytes;
  return (provider) => {
    const drawn = logo(provider);
    const bytes = drawn.toString().length;
    if (bytes > left) return monogram(provider);
    left -= bytes;
    return drawn;
  };
};
