import { Refusal } from '../platform/index.ts';

export const notReady = (reason: string) =>
  new Refusal(503, 'operations.not_ready', reason, { headers: { 'retry-after': '2' } });
