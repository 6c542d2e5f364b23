import { spawn } from 'node:child_process';

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};
const STANDARD_OPENER = ['xdg-open'];

/** Opens a file in the desktop's default program. False if there is no desktop. */
export const openFile = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [program = '', ...args] = OPENERS[process.platform] ?? STANDARD_OPENER;
    const child = spawn(program, [...args, path], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
