import { Refusal } from '../../platform/index.ts';

/** Not for ever: a page that is hidden ends its own. */
export const tooManyStreams = (): Refusal =>
  new Refusal(429, 'dashboard.too_many_streams', 'The list of calls is open in too many places: close some of them.', {
    headers: { 'retry-after': '60' },
  });
