// Makes garbage, then is busy, then quiet, and reports how much the heap holds after each.
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { giveBackMemoryWhenQuiet } from '../../src/platform/running/give-back-memory-when-quiet.ts';
import { standStill } from './stand-still.ts';

const LOOK_MS = 100;
const BUSY_MS = 1_000;
const QUIET_MS = 2_000;

const readHeldMegabytes = (): number => Math.round(getHeapStatistics().total_heap_size / 1024 / 1024);

const makeGarbage = (): number => {
  const rows = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: [index] }));
  return rows.length;
};

const { stop } = giveBackMemoryWhenQuiet({ lookMs: LOOK_MS });
makeGarbage();
for (const end = performance.now() + BUSY_MS; performance.now() < end; ) {
  standStill(LOOK_MS / 2);
  await sleep(1);
}
const busy = readHeldMegabytes();
await sleep(QUIET_MS);
process.stdout.write(JSON.stringify({ busy, quiet: readHeldMegabytes() }));
stop();
