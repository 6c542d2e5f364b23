// Loaded into the service with `--import`: answers whoever started it how late its event loop was since it listens.
import { subscribe } from 'node:diagnostics_channel';
import { watchLoopDelay } from './loop-delay.ts';

const takeLoopDelay = watchLoopDelay();
// Before that nobody could ask for anything, and so nobody has waited.
subscribe('tracing:net.server.listen:asyncEnd', () => void takeLoopDelay());
process.on('message', () => process.send?.(takeLoopDelay()));
// The service ends when it is told to, and does not stay for questions.
process.channel?.unref();
