/** The order matters: most browsers also have the tokens of browsers further down. */
const BROWSERS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOP(?:R|iOS|T)\/|\bOpera\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Yandex Browser', /\bYaBrowser\//],
  ['DuckDuckGo', /\b(?:DuckDuckGo|Ddg)\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|HeadlessChrome|CriOS)\//],
  ['Safari', /\bVersion\/.+\bSafari\//],
];

const SYSTEMS: readonly (readonly [name: string, token: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows NT\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/** How many characters of the header are read. Real headers have fewer than 300. */
const MOST_READ = 500;

/**
 * Names the device that a browser's `User-Agent` describes, like "Chrome on Windows", so that people recognize their
 * sessions. Null unless both browser and system are known. Returns only words from these lists, whatever the header
 * contains.
 */
export const nameDevice = (userAgent: string | undefined): string | null => {
  const read = (userAgent ?? '').slice(0, MOST_READ);
  const browser = BROWSERS.find(([, token]) => token.test(read))?.[0];
  const system = SYSTEMS.find(([, token]) => token.test(read))?.[0];
  return browser && system ? `${browser} on ${system}` : null;
};
