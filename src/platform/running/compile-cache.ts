import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * Returns the environment for a thread or process of ours that needs no other: where this process keeps compiled code.
 * Without it, each start compiles its files again, which takes longer than everything else about the start.
 */
export const pointToCompiledCode = (): Record<string, string> => {
  const directory = getCompileCacheDir();
  // Node adds a folder for its own version.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
};
