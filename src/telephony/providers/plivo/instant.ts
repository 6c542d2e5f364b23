import type { MarkupParams } from '../../markup/params.ts';
import { happened } from '../../provider-parts/facts.ts';

const QUARTER_MS = 15 * 60_000;
const WIDEST_ZONE_MS = 14 * 3_600_000;
/** How far clocks may differ. A time further ahead must be in another time zone, so it's ignored. */
const MOST_AHEAD_MS = 5 * 60_000;

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;

/** Parses a time. Without a zone, it is read as UTC. */
const parse = (text: string | undefined): number | null => {
  const [, day, time, fraction = '', zone = 'Z'] = TIME.exec(text ?? '') ?? [];
  const instant = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${zone}`);
  return Number.isNaN(instant) ? null : instant;
};

/**
 * Finds the time zone of the account. `StartTime`, `AnswerTime`, and `EndTime` are in that zone, `SessionStart` is in
 * UTC, and none of them says so (a hangup delivery of an account in India had 14:05:08 and 08:35:10.910772; seen
 * November 2026). The difference between the starts of call and session is the zone.
 */
const zoneOf = (params: MarkupParams): number => {
  const session = parse(params.get('SessionStart'));
  const start = parse(params.get('StartTime'));
  if (session === null || start === null) return 0;
  const zone = Math.round((start - session) / QUARTER_MS) * QUARTER_MS;
  return Math.abs(zone) <= WIDEST_ZONE_MS ? zone : 0;
};

const notAhead = (told: number | null, receivedAt: number) =>
  happened(told !== null && told <= receivedAt + MOST_AHEAD_MS ? told : null, receivedAt);

export const sessionStartOf = (params: MarkupParams, receivedAt: number) =>
  notAhead(parse(params.get('SessionStart')), receivedAt);

export const sessionEndOf = (params: MarkupParams, receivedAt: number) => {
  const end = parse(params.get('EndTime'));
  return notAhead(end === null ? null : end - zoneOf(params), receivedAt);
};
