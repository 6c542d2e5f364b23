import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

type Browser = { setting: string; places: readonly string[] };

const CHROMIUM: Browser = {
  setting: 'CHROMIUM',
  places: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ],
};

const HEADLESS_SHELL: Browser = { setting: 'HEADLESS_SHELL', places: ['/usr/bin/chromium-headless-shell'] };

const find = ({ setting, places }: Browser): string | undefined =>
  process.env[setting] || places.find((place) => existsSync(place));

const APT = '/usr/bin/apt-get';
const canInstall = (): boolean => process.getuid?.() === 0 && existsSync(APT);

const runApt = (...args: string[]): Promise<boolean> =>
  new Promise((done) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawn(APT, args, { stdio: ['ignore', 2, 2], env })
      .on('error', () => done(false))
      .on('close', (code) => done(code === 0));
  });

/** Installs Debian's packages if a browser is missing and we're allowed to. The headless shell is optional. */
export const installChromium = async (): Promise<void> => {
  if ((find(CHROMIUM) && find(HEADLESS_SHELL)) || !canInstall()) return;
  process.stderr.write('Installing Chromium (apt-get), once…\n');
  const install = ['install', '-y', '-qq', '--no-install-recommends', 'chromium'];
  await runApt('update', '-qq');
  if (!(await runApt(...install, 'chromium-headless-shell'))) await runApt(...install);
};

/** Finds the browser on this machine, or throws an error that says how to get one. `CHROMIUM` can name another one. */
export const findChromium = (): string => {
  const found = find(CHROMIUM);
  if (found === undefined)
    throw new Error(
      'There is no Chromium on this machine. Install it ("apt-get install chromium"), or name one: CHROMIUM=/path/to/chromium.',
    );
  return found;
};

/**
 * Finds Chromium's headless shell, which has no user interface and loads our pages in less than half the processor
 * time. It doesn't block popups or cookies, so tests of those need Chromium. `HEADLESS_SHELL` can name another shell.
 */
export const findHeadlessShell = (): string => find(HEADLESS_SHELL) ?? findChromium();
