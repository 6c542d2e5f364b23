import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Counts how often this process has waited for the disk, which it does only with `datasync`. */
export const countSyncs = async (): Promise<() => number> => {
  const file = await open(fileURLToPath(import.meta.url), 'r');
  const handles = Object.getPrototypeOf(file) as typeof file;
  await file.close();
  const { datasync } = handles;
  let count = 0;
  handles.datasync = async function (this: typeof file) {
    await datasync.call(this);
    count++;
  };
  return () => count;
};
