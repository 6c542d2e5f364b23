import { spawn } from 'node:child_process';

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens a file in the desktop's default program. False if there is no desktop. */
export const openFile = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const opener = OPENERS[process.platform] ?? 'xdg-open';
    const child = spawn(opener, [path], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
