// Loaded with `--import`. The service then works as usual, but logs no requests with connections.
import { replaceModule } from '../service/replace-module.ts';

replaceModule(
  new URL('../../src/integrations/request-log/request-log.ts', import.meta.url),
  new URL('./log-nothing.ts', import.meta.url),
);
