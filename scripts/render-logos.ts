import * as simpleIcons from 'simple-icons';
import { readEntries } from '../src/integrations/catalogue/catalogue.ts';

/**
 * Renders the logos of the built-in entries, by their ids: the outline on a field of 24 by 24, and the brand's color.
 */
export const renderLogos = (entries = readEntries()): string => {
  const icons = Object.values(simpleIcons).filter((icon) => 'slug' in icon);
  const known = new Map(icons.map((icon) => [icon.slug, icon]));
  const logos = entries.flatMap(({ file, record: { id, logo } }) => {
    if (logo === undefined) return [];
    const icon = known.get(logo);
    if (!icon)
      throw new Error(`${file}: simple-icons has no "${logo}" (anymore). Remove the field, and it shows initials.`);
    return [[id, { color: `#${icon.hex.toLowerCase()}`, path: icon.path }] as const];
  });
  return `${JSON.stringify(Object.fromEntries(logos), null, 2)}\n`;
};
