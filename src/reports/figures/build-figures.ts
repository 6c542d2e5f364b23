import { type BusinessHours, DAYS } from '../../teams/index.ts';
import type { CountedCalls, EndedCalls } from '../../telephony/index.ts';
import { createWallClock } from '../week/wall-clock.ts';
import type { Compared, Figures } from './figures.ts';

const UNTAKEN = new Set(['missed', 'abandoned', 'voicemail', 'busy', 'rejected', 'canceled', 'failed']);
const KNOWN = new Set(['answered', 'missed', 'abandoned', 'voicemail']);
const HOURS = 24;
const HOUR_MINUTES = 60;
const MINUTE_MS = 60_000;
/** Every time zone's offset is a multiple of this, so a piece of this length never spans two local hours. */
const LONGEST_PIECE_MS = 15 * MINUTE_MS;

type WeekFacts = {
  timeZone: string;
  businessHours: BusinessHours | null;
  startsAt: number;
  endsAt: number;
  counted: CountedCalls;
  /** False if the team didn't exist in the previous week. */
  hasBefore: boolean;
  integrations: Figures['integrations'];
};

type Filter = (calls: EndedCalls) => boolean;

const sum = (all: readonly EndedCalls[], filter: Filter, of: 'calls' | 'talkSeconds' = 'calls'): number =>
  all.reduce((total, calls) => (filter(calls) ? total + calls[of] : total), 0);

const isInbound: Filter = ({ direction }) => direction === 'inbound';
const hasOutcome =
  (wanted: string): Filter =>
  ({ direction, outcome }) =>
    direction === 'inbound' && outcome === wanted;
const isUntaken: Filter = ({ direction, outcome }) =>
  direction === 'inbound' && outcome !== null && UNTAKEN.has(outcome);
const isOther: Filter = ({ direction, outcome }) => direction === 'inbound' && outcome !== null && !KNOWN.has(outcome);

/** Converts a time like "13:07" to minutes. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * HOUR_MINUTES + Number(time.slice(3));

/** The longest of 15, 5, and 1 minutes for which no piece of the week spans an opening or closing time. */
export const pieceMsOf = (businessHours: BusinessHours | null): number => {
  const times = Object.values(businessHours ?? {}).flatMap((spans) =>
    spans.flatMap(({ opens, closes }) => [opens, closes]),
  );
  return ([15, 5].find((length) => times.every((time) => minutesOf(time) % length === 0)) ?? 1) * MINUTE_MS;
};

/** The smallest value that at least this share (`part`) of the calls doesn't exceed. */
const quantile = (counted: CountedCalls['secondsToAnswer'], part: number): number => {
  const total = counted.reduce((all, { calls }) => all + calls, 0);
  let passed = 0;
  for (const { seconds, calls } of counted) {
    passed += calls;
    if (passed >= total * part) return seconds;
  }
  return 0;
};

type WallClock = ReturnType<typeof createWallClock>;

/** Counts calls by weekday and hour. An hour that the clocks skip is null. A repeated hour has the calls of both. */
const buildHeat = ({ startsAt, endsAt, counted }: WeekFacts, wallAt: WallClock): Figures['heat'] => {
  const heat: (number | null)[][] = DAYS.map(() => Array.from({ length: HOURS }, () => null));
  const add = (instant: number, calls: number): void => {
    const { day, minute } = wallAt(instant);
    const row = heat[day];
    const hour = Math.floor(minute / HOUR_MINUTES);
    if (row) row[hour] = (row[hour] ?? 0) + calls;
  };
  for (let instant = startsAt; instant < endsAt; instant += LONGEST_PIECE_MS) add(instant, 0);
  for (const { at, calls } of counted.pieces) add(at, calls);
  return heat;
};

const countByHours = ({ businessHours, counted }: WeekFacts, wallAt: WallClock): Figures['missedByHours'] => {
  if (!businessHours) return null;
  const open = DAYS.map((day) =>
    businessHours[day].map(({ opens, closes }) => ({ opens: minutesOf(opens), closes: minutesOf(closes) })),
  );
  const figures = { inside: 0, outside: 0 };
  for (const { at, untaken } of counted.pieces) {
    const { day, minute } = wallAt(at);
    const isInside = open[day]?.some(({ opens, closes }) => opens <= minute && minute < closes);
    figures[isInside ? 'inside' : 'outside'] += untaken;
  }
  return figures;
};

const rankOf = ({ number, hash }: Figures['numbers'][number]): string => `${number ?? ''} ${hash ?? ''}`;

const buildNumbers = ({ counted: { numbers, names } }: WeekFacts): Figures['numbers'] =>
  numbers
    .map(({ hash, calls, answered, untaken }) => {
      const { number = null, label = null } = names.get(hash ?? '') ?? {};
      return { hash, number, label, calls, answered, missed: untaken };
    })
    .sort((left, right) => right.calls - left.calls || (rankOf(left) < rankOf(right) ? -1 : 1));

const countRecordings = ({ counted: { recordings } }: WeekFacts): Figures['recordings'] => {
  const of = (...states: string[]): number =>
    recordings.reduce((total, { state, recordings: some }) => (states.includes(state) ? total + some : total), 0);
  return {
    made: of('announced', 'waiting', 'archived', 'failed', 'removed'),
    archived: of('archived', 'removed'),
    failed: of('failed'),
  };
};

/** Computes a week's figures from the counted calls. No I/O. */
export const buildFigures = (facts: WeekFacts): Figures => {
  const { counted, hasBefore, integrations, timeZone } = facts;
  const { ended, before, secondsToAnswer: waits } = counted;
  const wallAt = createWallClock(timeZone);
  const compare = (filter: Filter, of: 'calls' | 'talkSeconds' = 'calls'): Compared => ({
    value: sum(ended, filter, of),
    before: hasBefore ? sum(before, filter, of) : null,
  });
  const over = sum(ended, (calls) => isInbound(calls) && calls.outcome !== null);
  return {
    calls: { inbound: compare(isInbound), outbound: compare((calls) => !isInbound(calls)) },
    outcomes: {
      answered: compare(hasOutcome('answered')),
      missed: compare(hasOutcome('missed')),
      abandoned: compare(hasOutcome('abandoned')),
      voicemail: compare(hasOutcome('voicemail')),
      other: compare(isOther),
    },
    missedPercent: over === 0 ? null : Math.round((sum(ended, isUntaken) / over) * 1_000) / 10,
    secondsToAnswer: waits.length === 0 ? null : { median: quantile(waits, 0.5), p90: quantile(waits, 0.9) },
    talkSeconds: compare(() => true, 'talkSeconds'),
    heat: buildHeat(facts, wallAt),
    missedByHours: countByHours(facts, wallAt),
    unreturned: counted.waiting,
    callers: counted.callers,
    numbers: buildNumbers(facts),
    recordings: countRecordings(facts),
    integrations,
    deliveriesRefused: counted.refused,
    quality: { withoutEnd: counted.withoutEnd, late: counted.late },
  };
};
