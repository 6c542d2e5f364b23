import type { Paths } from './compare-pages.ts';
import { RARE } from './fill-calls.ts';
import { CURRENT_WEEK, FINISHED_WEEK } from './page-service.ts';

const of = (query: Record<string, string>): string => `/calls?${new URLSearchParams(query)}`;
const WEEK = { since: '2026-11-07', until: '2026-11-13' };

/** Every page that shows calls, and the other pages in the navigation. */
export const MEASURED_PAGES: Paths = {
  home: '/',
  'all calls': '/calls',
  'all calls, from the middle': ({ cursor }) => of({ cursor }),
  'needs a call back': of({ waiting: '1' }),
  'needs a call back, this week': of({ waiting: '1', ...WEEK }),
  voicemail: of({ outcome: 'voicemail' }),
  answered: of({ outcome: 'answered' }),
  'calls of a week': of(WEEK),
  'calls of a week long ago': of({ since: '2023-01-02', until: '2023-01-08' }),
  'voicemail of a week': of({ outcome: 'voicemail', direction: 'inbound', ...WEEK }),
  'outbound calls': of({ direction: 'outbound' }),
  'an outcome that 3 calls have': of({ outcome: 'failed' }),
  'the same, outbound': of({ outcome: 'failed', direction: 'outbound' }),
  'an outcome that none has': of({ outcome: 'rejected' }),
  'a caller with 3 calls': of({ from: RARE.caller }),
  'a number that was called 3 times': of({ to: RARE.called }),
  'a number that never called': of({ from: '+15550000000' }),
  'a search that finds many': of({ search: '555 2' }),
  'a search that finds voicemail': of({ search: '555', outcome: 'voicemail' }),
  'a search that finds who waits': of({ search: '555 2', waiting: '1' }),
  'a call': '/calls/call-0',
  reports: '/reports',
  'a report': `/reports/${FINISHED_WEEK}`,
  'the current week': `/reports/${CURRENT_WEEK}`,
  integrations: '/integrations',
  alerts: '/alerts',
  'team settings': '/settings',
  'telephony settings': '/settings/telephony',
  'audit log': '/settings/audit',
};

/**
 * Searches have to decrypt one call after the other, because numbers and names are encrypted. They stop after a second
 * and a half.
 */
export const SEARCHES: Paths = {
  'a search for a caller with 3 old calls': of({ search: RARE.caller.slice(-6) }),
  'a search that finds nothing': of({ search: 'nobody' }),
};
