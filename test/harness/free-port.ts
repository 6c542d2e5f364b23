import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Below the ports that Linux, macOS and Windows hand out, so that nobody else can be given it before it is used. */
const FIRST = 10_240;
const LAST = 32_767;

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
};

/** Takes a port for the whole run. Otherwise, another worker could find it free before it is used. */
const take = (port: number): boolean => {
  const directory = process.env['PATCHBAY_TEST_DIRECTORY'];
  if (directory === undefined) return true;
  try {
    writeFileSync(join(directory, `port-${port}`), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
};

export const findFreePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(FIRST, LAST + 1);
    if ((await isFree(port)) && take(port)) return port;
  }
  throw new Error('There is no free port.');
};
