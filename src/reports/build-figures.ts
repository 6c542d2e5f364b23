import { type BusinessHours, DAYS } from '../teams/index.ts';
import type { CallPiece, CountedCalls } from '../telephony/index.ts';
import { PIECE_MS } from '../telephony/index.ts';
import type { Compared, Figures } from './figures.ts';

const UNTAKEN = new Set(['missed', 'abandoned', 'voicemail', 'busy', 'rejected', 'canceled', 'failed']);
const KNOWN = new Set(['answered', 'missed', 'abandoned', 'voicemail']);
const HOURS = 24;

export type WeekFacts = {
  timeZone: string;
  businessHours: BusinessHours | null;
  startsAt: number;
  endsAt: number;
  counted: CountedCalls;
  /** Of the week before; null: the team was not there yet. */
  before: readonly CallPiece[] | null;
  integrations: Figures['integrations'];
};

type Filter = (piece: CallPiece) => boolean;

const sum = (pieces: readonly CallPiece[], filter: Filter, of: 'calls' | 'talkSeconds' = 'calls'): number =>
  pieces.reduce((total, piece) => (filter(piece) ? total + piece[of] : total), 0);

const isInbound: Filter = ({ direction }) => direction === 'inbound';
const hasOutcome =
  (...outcomes: string[]): Filter =>
  ({ direction, outcome }) =>
    direction === 'inbound' && outcome !== null && outcomes.includes(outcome);
const isUntaken: Filter = ({ direction, outcome }) =>
  direction === 'inbound' && outcome !== null && UNTAKEN.has(outcome);
const isOther: Filter = ({ direction, outcome }) => direction === 'inbound' && outcome !== null && !KNOWN.has(outcome);

/** The smallest value that at least this part of the calls does not exceed. */
const quantile = (counted: CountedCalls['secondsToAnswer'], part: number): number => {
  const total = counted.reduce((all, { calls }) => all + calls, 0);
  let passed = 0;
  for (const { seconds, calls } of counted) {
    passed += calls;
    if (passed >= total * part) return seconds;
  }
  return 0;
};

type WallHour = { day: number; hour: number; weekday: (typeof DAYS)[number]; time: string };

/** What the clock on the team's wall shows. */
const createWallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (instant: number): WallHour => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const weekday = DAYS.find((name) => name === parts['weekday']?.toLowerCase()) ?? 'monday';
    const time = `${parts['hour']}:${parts['minute']}`;
    return { day: DAYS.indexOf(weekday), hour: Number(parts['hour']), weekday, time };
  };
};

/** An hour that the clocks skip has no figure; one that they repeat has the calls of both. */
const buildHeat = ({ startsAt, endsAt, timeZone, counted }: WeekFacts): Figures['heat'] => {
  const wallAt = createWallClock(timeZone);
  const heat: (number | null)[][] = DAYS.map(() => Array.from({ length: HOURS }, () => null));
  const add = (instant: number, calls: number): void => {
    const { day, hour } = wallAt(instant);
    const row = heat[day];
    if (row) row[hour] = (row[hour] ?? 0) + calls;
  };
  for (let instant = startsAt; instant < endsAt; instant += PIECE_MS) add(instant, 0);
  for (const { piece, calls } of counted.pieces) add(Math.max(startsAt, piece * PIECE_MS), calls);
  return heat;
};

const countByHours = ({ businessHours, timeZone, counted, startsAt }: WeekFacts): Figures['missedByHours'] => {
  if (!businessHours) return null;
  const wallAt = createWallClock(timeZone);
  const isInside: Filter = ({ piece }) => {
    const { weekday, time } = wallAt(Math.max(startsAt, piece * PIECE_MS));
    return businessHours[weekday].some(({ opens, closes }) => opens <= time && time < closes);
  };
  const inside = sum(counted.pieces, (piece) => isUntaken(piece) && isInside(piece));
  return { inside, outside: sum(counted.pieces, isUntaken) - inside };
};

const buildNumbers = ({ counted: { pieces, numbers } }: WeekFacts): Figures['numbers'] => {
  const hashes = new Set(pieces.filter(isInbound).map(({ toHash }) => toHash));
  return [...hashes]
    .map((hash) => {
      const { number = null, label = null } = numbers.get(hash ?? '') ?? {};
      const of = (filter: Filter): number => sum(pieces, (piece) => piece.toHash === hash && filter(piece));
      return { number, label, calls: of(isInbound), answered: of(hasOutcome('answered')), missed: of(isUntaken) };
    })
    .sort((left, right) => right.calls - left.calls || ((left.number ?? '') < (right.number ?? '') ? -1 : 1));
};

/** The figures of a week from what was counted. Pencil and paper would come to the same. */
export const buildFigures = (facts: WeekFacts): Figures => {
  const { counted, before, integrations } = facts;
  const { pieces, secondsToAnswer } = counted;
  const compare = (filter: Filter, of: 'calls' | 'talkSeconds' = 'calls'): Compared => ({
    value: sum(pieces, filter, of),
    before: before && sum(before, filter, of),
  });
  const ended = sum(pieces, (piece) => isInbound(piece) && piece.outcome !== null);
  return {
    calls: { inbound: compare(isInbound), outbound: compare((piece) => !isInbound(piece)) },
    outcomes: {
      answered: compare(hasOutcome('answered')),
      missed: compare(hasOutcome('missed')),
      abandoned: compare(hasOutcome('abandoned')),
      voicemail: compare(hasOutcome('voicemail')),
      other: compare(isOther),
    },
    missedPercent: ended === 0 ? null : Math.round((sum(pieces, isUntaken) / ended) * 1_000) / 10,
    secondsToAnswer:
      secondsToAnswer.length === 0
        ? null
        : { median: quantile(secondsToAnswer, 0.5), p90: quantile(secondsToAnswer, 0.9) },
    talkSeconds: compare(() => true, 'talkSeconds'),
    heat: buildHeat(facts),
    missedByHours: countByHours(facts),
    unreturned: {
      total: counted.waiting.total,
      oldest: counted.waiting.calls.map(({ id, from, startedAt, outcome }) => ({
        callId: id,
        from,
        at: startedAt,
        outcome: outcome ?? 'unknown',
      })),
    },
    callers: counted.callers,
    numbers: buildNumbers(facts),
    recordings: counted.recordings,
    integrations,
    deliveriesRefused: counted.refused,
    quality: { withoutEnd: counted.withoutEnd },
  };
};
