import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Compiles the client to JavaScript and its types. Returns the content of each file by path. */
export const buildClient = (): Map<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-client-'));
  try {
    execFileSync('tsc', ['-p', 'packages/client', '--outDir', folder], { stdio: 'inherit' });
    const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
    const read = ({ parentPath, name }: (typeof files)[number]) => readFileSync(join(parentPath, name), 'utf8');
    return new Map(files.map((file) => [file.name, read(file)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
};
