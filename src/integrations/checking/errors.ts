import { refuse } from '../errors.ts';

export const triedJustNow = (waitSeconds: number) =>
  refuse(429, 'tried_just_now', 'This was tried a moment ago. Wait a little, then try it again.', {
    headers: { 'retry-after': String(waitSeconds) },
  });
