import type { RequestLog } from '../../src/integrations/request-log/request-log.ts';

export { openRequests, SEALED_REQUESTS } from '../../src/integrations/request-log/request-log.ts';

export const createRequestLog = (): RequestLog => ({
  add: () => undefined,
  flush: async () => undefined,
  close: async () => undefined,
});
