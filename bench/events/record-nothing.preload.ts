// Loaded with `--import`, also into threads. The service then works as usual, but records no events.
import { registerHooks } from 'node:module';

const RECORDER = new URL('../../src/events/log/record-events.ts', import.meta.url).href;
const INSTEAD = new URL('./record-nothing.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === RECORDER && context.parentURL !== INSTEAD ? { ...found, url: INSTEAD } : found;
  },
});
