// Loaded into the service with `--import`: answers whoever started it how late its event loop was.
import { watchLoopDelay } from './loop-delay.ts';

const takeLoopDelay = watchLoopDelay();
process.on('message', () => process.send?.(takeLoopDelay()));
// The service ends when it is told to, and does not stay for questions.
process.channel?.unref();
