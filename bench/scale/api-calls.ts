import type { Paths } from '../pages/compare-pages.ts';
import { LINE, numberOf, RARE } from '../pages/fill-calls.ts';

const of = (query: Record<string, string>): string => `/api/calls?${new URLSearchParams(query)}`;

/** The number of a person who has a two-thousandth of all calls. */
const COMMON = numberOf(7);

/** The lists that programs request: each filter alone, and pairs of filters that few calls match. */
export const API_CALLS: Paths = {
  'GET /api/calls': '/api/calls',
  '100 from the middle': ({ cursor }) => of({ cursor, limit: '100' }),
  'outcome: missed': of({ outcome: 'missed' }),
  'outcome that 3 calls have': of({ outcome: 'failed' }),
  'outcome that none has': of({ outcome: 'rejected' }),
  'direction: outbound': of({ direction: 'outbound' }),
  'since and until: a week': of({ since: '2026-11-02T00:00:00Z', until: '2026-11-09T00:00:00Z' }),
  'since and until: before the first call': of({ since: '2023-01-02T00:00:00Z', until: '2023-01-09T00:00:00Z' }),
  'from a caller with 3 calls': of({ from: RARE.caller }),
  'from a number that never called': of({ from: '+15550000000' }),
  'from a common caller': of({ from: COMMON }),
  'from a common caller, outcome: none of theirs': of({ from: COMMON, outcome: 'failed' }),
  'to a number with 3 calls': of({ to: RARE.called }),
  'to our number': of({ to: LINE }),
  'to our number, outcome: voicemail': of({ to: LINE, outcome: 'voicemail' }),
  'to our number, outcome that none has': of({ to: LINE, outcome: 'rejected' }),
  'to our number, outbound, which none is': of({ to: LINE, direction: 'outbound' }),
  'from our number, outcome that 3 calls have': of({ from: LINE, outcome: 'failed' }),
  'from our number to one with 3 calls': of({ from: LINE, to: RARE.called }),
  'from a caller with 3 calls to our number': of({ from: RARE.caller, to: LINE }),
  'from our number to one never called': of({ from: LINE, to: '+15550000000' }),
  'waiting for a call back': of({ waiting: 'true' }),
};
