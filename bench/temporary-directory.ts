import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a new directory, which is removed after the benchmark. */
export const makeDirectory = (cleanUp: AsyncDisposableStack): string => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-bench-'));
  cleanUp.defer(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};
