import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

const APT = '/usr/bin/apt-get';

const runApt = (...args: string[]): boolean =>
  spawnSync(APT, args, { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
    .status === 0;

const findInstalled = (): string | undefined => PLACES.find((place) => existsSync(place));

/** Debian's package, if we're allowed to install it. */
const install = (): boolean => {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return false;
  process.stderr.write('Installing Chromium (apt-get), once…\n');
  return runApt('update', '-qq') && runApt('install', '-y', '-qq', '--no-install-recommends', 'chromium');
};

/** The browser on this machine, or an error that says how to get one. `CHROMIUM` can name another one. */
export const findChromium = (): string => {
  const named = process.env['CHROMIUM'];
  if (named) return named;
  const found = findInstalled() ?? (install() ? findInstalled() : undefined);
  if (found === undefined)
    throw new Error(
      'There is no Chromium on this machine. Install it ("apt-get install chromium"), or name one: CHROMIUM=/path/to/chromium.',
    );
  return found;
};
