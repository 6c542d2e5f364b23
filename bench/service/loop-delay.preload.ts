// Loaded into the service with `--import`: tells the parent process how late its event loop has been since it started
// listening.
import { subscribe } from 'node:diagnostics_channel';
import { watchLoopDelay } from './loop-delay.ts';

const takeLoopDelay = watchLoopDelay();
// Before that, no one could send a request, so no one has waited.
subscribe('tracing:net.server.listen:asyncEnd', () => void takeLoopDelay());
process.on('message', () => process.send?.(takeLoopDelay()));
// The service ends when told to, even if a question is pending.
process.channel?.unref();
