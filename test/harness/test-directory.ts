import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new directory for the data of a test: in memory if the run says where (`scripts/test.ts`), otherwise on disk. */
export const makeTestDirectory = (prefix: string): { path: string; remove(): void } => {
  const path = mkdtempSync(join(process.env['PATCHBAY_TEST_DIRECTORY'] ?? tmpdir(), prefix));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};
