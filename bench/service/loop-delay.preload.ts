// Loaded into the service with `--import`: tells the parent process how late its event loop has been since it started
// listening.
import { subscribe } from 'node:diagnostics_channel';
import { watchLoopDelay } from './loop-delay.ts';

const takeLoopDelay = watchLoopDelay();
// Leave out delays from before the service listened, because nobody could send a request then.
subscribe('tracing:net.server.listen:asyncEnd', () => void takeLoopDelay());
process.on('message', () => process.send?.(takeLoopDelay()));
// Don't let the channel to the parent process keep the service alive.
process.channel?.unref();
