import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { BrandSettings } from '../integrations/index.ts';
import type { Config } from './config.ts';
import { ConfigRefused } from './config-refused.ts';

const TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const MOST_LOGO_BYTES = 512 * 1024;

const readLogo = (path: string): Buffer => {
  try {
    if (statSync(path).size <= MOST_LOGO_BYTES) return readFileSync(path);
  } catch {
    throw new ConfigRefused([`PATCHBAY_BRAND_LOGO must name an image file, but ${path} can't be read.`]);
  }
  throw new ConfigRefused([
    `PATCHBAY_BRAND_LOGO must be at most ${MOST_LOGO_BYTES / 1024} KiB, and ${path} is larger.`,
  ]);
};

/** Reads the brand's settings and its logo file, once at startup. */
export const readBrand = ({ brandName: name, brandColor: color, brandLogo: path }: Config): BrandSettings => {
  if (path === null) return { name, color, logo: null };
  return { name, color, logo: { bytes: readLogo(path), type: TYPES[extname(path).toLowerCase()] ?? '' } };
};
