import { readFileSync } from 'node:fs';
import { type Html, html } from '../../../platform/index.ts';
import { monogram } from './monogram.ts';

type Logo = { color: string; path: string };

/** Made by `npm run generate` from what the built-in entries name. See docs/decisions/039-logos.md. */
const LOGOS: Readonly<Record<string, Logo>> = JSON.parse(
  readFileSync(new URL('./logos.json', import.meta.url), 'utf8'),
);

const [LIGHT_INK, DARK_INK] = ['#fff', '#1d2126'];
/** A little less than what text needs: these are large shapes, and most brands show themselves in white. */
const LEAST_CONTRAST = 2.5;

/** From 0, black, to 1, white, as the eye sees it (WCAG 2). */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** What is readable on a brand's color: white if possible. */
export const inkOn = (color: string): string =>
  1.05 / (luminanceOf(color) + 0.05) >= LEAST_CONTRAST ? LIGHT_INK : DARK_INK;

export type LogoOf = (provider: { id: string; name: string }) => Html;

/** The brand's mark on its own color, so that it looks the same in light and dark. Initials if there is none. */
export const logo: LogoOf = ({ id, name }) => {
  const known = Object.hasOwn(LOGOS, id) ? LOGOS[id] : undefined;
  if (!known) return monogram({ id, name });
  const { color, path } = known;
  return html`<svg class="logo" viewBox="-8 -8 40 40" aria-hidden="true" fill="${inkOn(color)}"><path fill="${color}" d="M-8-8h40v40H-8z"/><path d="${path}"/></svg>`;
};

/** For a page that must stay small: what there is no room for is shown by its initials. */
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
