import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The JavaScript has no comments, because editors show those of the types. One run of `tsc` can't do both. */
const OUTPUTS = [['--declaration', 'false', '--removeComments'], ['--emitDeclarationOnly']] as const;

/** Compiles the client to JavaScript and its types. Returns the content of each file by path. */
export const buildClient = (): Map<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-client-'));
  try {
    for (const output of OUTPUTS)
      execFileSync('tsc', ['-p', 'packages/client', '--outDir', folder, ...output], { stdio: 'inherit' });
    const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
    const read = ({ parentPath, name }: (typeof files)[number]) => readFileSync(join(parentPath, name), 'utf8');
    return new Map(files.map((file) => [file.name, read(file)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
};
