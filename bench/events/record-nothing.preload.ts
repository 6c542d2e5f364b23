// Loaded with `--import`, also into threads. The service then works as usual, but records no events.
import { replaceModule } from '../service/replace-module.ts';

replaceModule(
  new URL('../../src/events/log/record-events.ts', import.meta.url),
  new URL('./record-nothing.ts', import.meta.url),
);
