import { Refusal } from '../../platform/index.ts';

/** Not forever: a hidden page ends its own. */
export const tooManyStreams = (): Refusal =>
  new Refusal(429, 'dashboard.too_many_streams', 'The call list is open in too many tabs. Close some of them.', {
    headers: { 'retry-after': '60' },
  });
