import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_BYTES = 16 * 1024 * 1024;

type Collect = (options: { type: 'minor'; execution: 'sync' }) => void;

/** Gets V8's garbage collector, which is only available with a flag, in contexts created after the flag is set. */
const findCollector = (): Collect => {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
};

/**
 * Frees buffers that were read and passed on. V8 ignores their size until they take 64 MB, and then collects
 * everything: passing on a gigabyte took 70 MB and twice as long. Such buffers are young, so collecting the young
 * generation is enough, and takes a millisecond or two. Call the result with the length of each buffer.
 */
export const createBufferRelease = (): ((bytes: number) => void) => {
  let collect: Collect | undefined;
  let passed = 0;
  return (bytes) => {
    passed += bytes;
    if (passed < EVERY_BYTES) return;
    passed = 0;
    collect ??= findCollector();
    collect({ type: 'minor', execution: 'sync' });
  };
};
