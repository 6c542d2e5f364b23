/** The name, color and logo of the operator's product. */
export type BrandSettings = {
  name: string | null;
  color: string | null;
  logo: { bytes: Buffer; type: string } | null;
};

/** The brightness of a color as people see it (WCAG 2, relative luminance). */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** White or black, whichever is easier to read on the color. At a luminance of 0.179, both have the same contrast. */
const onColor = (color: string): string => (luminanceOf(color) > 0.179 ? '#000000' : '#ffffff');

/** Colors only buttons, because a button's text can be made black or white to be readable. */
export const brandStyles = (color: string): string =>
  `button, .button:not(.plain) { background: ${color}; border-color: ${color}; color: ${onColor(color)}; }\n`;
