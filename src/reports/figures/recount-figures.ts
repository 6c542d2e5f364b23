import { DAYS, type Team } from '../../teams/index.ts';
import {
  listEveryRecording,
  listEveryRefusal,
  MOST_COUNTED_NUMBERS,
  MOST_TALLIED_NUMBERS,
  MOST_WAIT_SECONDS,
  MOST_WAITING,
  type NamedNumbers,
  nameNumbers,
  type PlainCall,
  readEveryCall,
  toWaiting,
} from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import { shiftWeek, spanOf, type WeekId, weekAt } from '../week/week.ts';
import type { Basis } from './basis.ts';
import type { Compared, Figures } from './figures.ts';

/** All figures except the state of integrations, which is current and can't be recounted for an earlier time. */
type RecountedFigures = Omit<Figures, 'integrations'>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const REFUSALS_MS = 15 * MINUTE_MS;
const TAKEN = ['answered', 'unknown'];
const SHOWN = ['answered', 'missed', 'abandoned', 'voicemail'];

const isInbound = ({ direction }: PlainCall): boolean => direction === 'inbound';
const isUntaken = (call: PlainCall): boolean =>
  isInbound(call) && call.outcome !== null && !TAKEN.includes(call.outcome);
const isAnswered = (call: PlainCall): boolean => isInbound(call) && call.outcome === 'answered';

type Asked = { startsAt: number; endsAt: number; beforeStartsAt: number; asOf: number };

/** Collects what the figures need from all of the team's calls. `calls` must be in order, oldest first. */
const sortCalls = async (calls: AsyncIterable<PlainCall>, { startsAt, endsAt, beforeStartsAt, asOf }: Asked) => {
  const week: PlainCall[] = [];
  const before: PlainCall[] = [];
  const knownBefore = new Set<string>();
  const lastSpokenAt = new Map<string, number>();
  for await (const call of calls) {
    const { startedAt, fromHash, toHash } = call;
    if (startedAt >= beforeStartsAt && startedAt < startsAt) before.push(call);
    if (startedAt >= startsAt && startedAt < endsAt) week.push(call);
    if (startedAt < startsAt && isInbound(call) && fromHash !== null) knownBefore.add(fromHash);
    const spokenWith = isInbound(call) ? (isAnswered(call) ? fromHash : null) : toHash;
    if (spokenWith !== null && startedAt < asOf) lastSpokenAt.set(spokenWith, startedAt);
  }
  const stillWaits = ({ fromHash, startedAt, markedReturnedAt }: PlainCall): boolean =>
    (markedReturnedAt === null || markedReturnedAt >= asOf) && (lastSpokenAt.get(fromHash ?? '') ?? 0) <= startedAt;
  return { week, before, knownBefore, waiting: week.filter(isUntaken).filter(stillWaits) };
};

const createWall = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (instant: number) => {
    const [date = '', time = ''] = format.format(instant).split(' ');
    return { day: (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7, hour: Number(time.slice(0, 2)), time };
  };
};

type Wall = ReturnType<typeof createWall>;

const drawHeat = (week: readonly PlainCall[], { startsAt, endsAt }: Asked, wall: Wall): Figures['heat'] => {
  const heat: (number | null)[][] = DAYS.map(() => Array(24).fill(null));
  const add = (instant: number, calls: number): void => {
    const { day, hour } = wall(instant);
    heat[day]?.splice(hour, 1, (heat[day][hour] ?? 0) + calls);
  };
  for (let instant = startsAt; instant < endsAt; instant += MINUTE_MS) add(instant, 0);
  for (const { startedAt } of week) add(startedAt, 1);
  return heat;
};

const splitByHours = (untaken: readonly PlainCall[], { businessHours }: Team, wall: Wall): Figures['missedByHours'] => {
  if (!businessHours) return null;
  const inside = untaken.filter(({ startedAt }) => {
    const { day, time } = wall(startedAt);
    return businessHours[DAYS[day] ?? 'monday'].some(({ opens, closes }) => time >= opens && time < closes);
  });
  return { inside: inside.length, outside: untaken.length - inside.length };
};

const rankWaits = (answered: readonly PlainCall[]): Figures['secondsToAnswer'] => {
  const waits = answered
    .flatMap(({ answeredAt, startedAt }) => (answeredAt === null ? [] : [Math.trunc((answeredAt - startedAt) / 1_000)]))
    .map((seconds) => Math.min(seconds, MOST_WAIT_SECONDS))
    .sort((left, right) => left - right);
  const at = (part: number): number => waits[Math.ceil(waits.length * part) - 1] ?? 0;
  return waits.length === 0 ? null : { median: at(0.5), p90: at(0.9) };
};

const countCallers = (inbound: readonly PlainCall[], knownBefore: ReadonlySet<string>): Figures['callers'] => {
  const calls = Map.groupBy(
    inbound.filter(({ fromHash }) => fromHash !== null),
    ({ fromHash }) => fromHash ?? '',
  );
  return {
    total: calls.size,
    repeat: [...calls.values()].filter(({ length }) => length > 1).length,
    firstTime: [...calls.keys()].filter((caller) => !knownBefore.has(caller)).length,
  };
};

/** The numbers that a report lists one by one. `inbound` must be in order, oldest first. */
const pickNumbers = (inbound: readonly PlainCall[]): Set<string | null> => {
  const ranked = [...Map.groupBy(inbound, ({ toHash }) => toHash)]
    .filter(([hash]) => hash !== null)
    .slice(0, MOST_COUNTED_NUMBERS)
    .sort(([, left], [, right]) => right.length - left.length);
  return new Set(ranked.slice(0, MOST_TALLIED_NUMBERS).map(([hash]) => hash));
};

const listNumbers = (inbound: readonly PlainCall[], names: NamedNumbers): Figures['numbers'] => {
  const picked = pickNumbers(inbound);
  return [...Map.groupBy(inbound, ({ toHash }) => (picked.has(toHash) ? (toHash ?? '') : ''))]
    .map(([hash, calls]) => ({ hash, calls, number: names.get(hash)?.number ?? null, label: names.get(hash)?.label }))
    .sort((left, right) => {
      const byName = `${left.number ?? ''} ${left.hash}` < `${right.number ?? ''} ${right.hash}` ? -1 : 1;
      return right.calls.length - left.calls.length || byName;
    })
    .map(({ hash, number, label, calls }) => ({
      hash: hash === '' ? null : hash,
      number,
      label: label ?? null,
      calls: calls.length,
      answered: calls.filter(isAnswered).length,
      missed: calls.filter(isUntaken).length,
    }));
};

/**
 * Recounts the figures call by call, to check a report. Shares only week boundaries and number names with the code that
 * makes reports.
 */
export const recountFigures = async (
  { database, vault }: Pick<ReportsContext, 'database' | 'vault'>,
  { team, asOf, named }: Basis,
  week: WeekId,
): Promise<RecountedFigures> => {
  const previous = shiftWeek(week, -1);
  const asked = { ...spanOf(week, team.timeZone), beforeStartsAt: spanOf(previous, team.timeZone).startsAt, asOf };
  const sorted = await sortCalls(readEveryCall(database, team.id), asked);
  const inbound = sorted.week.filter(isInbound);
  const untaken = inbound.filter(isUntaken);
  const over = inbound.filter(({ outcome }) => outcome !== null).length;
  const wall = createWall(team.timeZone);
  const isInWeek = (instant: number): boolean => instant >= asked.startsAt && instant < asked.endsAt;
  const recordings = (await listEveryRecording(database, team.id)).filter(([, createdAt]) => isInWeek(createdAt));
  const countStates = (...states: string[]) => recordings.filter(([state]) => states.includes(state)).length;
  const refusals = (await listEveryRefusal(database, team.id)).filter(([piece]) => isInWeek(piece * REFUSALS_MS));
  const hasBefore = weekAt(team.createdAt, team.timeZone) <= previous;
  const compare = (count: (calls: readonly PlainCall[]) => number): Compared => ({
    value: count(sorted.week),
    before: hasBefore ? count(sorted.before) : null,
  });
  const compareEnded = (isCounted: (outcome: string) => boolean): Compared =>
    compare((calls) => calls.filter((call) => isInbound(call) && call.outcome && isCounted(call.outcome)).length);
  return {
    calls: {
      inbound: compare((calls) => calls.filter(isInbound).length),
      outbound: compare((calls) => calls.filter((call) => !isInbound(call)).length),
    },
    outcomes: {
      answered: compareEnded((outcome) => outcome === 'answered'),
      missed: compareEnded((outcome) => outcome === 'missed'),
      abandoned: compareEnded((outcome) => outcome === 'abandoned'),
      voicemail: compareEnded((outcome) => outcome === 'voicemail'),
      other: compareEnded((outcome) => !SHOWN.includes(outcome)),
    },
    missedPercent: over === 0 ? null : Math.round((untaken.length / over) * 1_000) / 10,
    secondsToAnswer: rankWaits(inbound.filter(isAnswered)),
    talkSeconds: compare((calls) => calls.reduce((total, { talkSeconds }) => total + (talkSeconds ?? 0), 0)),
    heat: drawHeat(sorted.week, asked, wall),
    missedByHours: splitByHours(untaken, team, wall),
    unreturned: { total: sorted.waiting.length, oldest: sorted.waiting.slice(0, MOST_WAITING).map(toWaiting) },
    callers: countCallers(inbound, sorted.knownBefore),
    numbers: listNumbers(inbound, new Map([...named, ...(await nameNumbers({ database, vault }, team.id))])),
    recordings: {
      made: recordings.length - countStates('absent'),
      archived: countStates('archived', 'removed'),
      failed: countStates('failed'),
    },
    deliveriesRefused: refusals.reduce((total, [, count]) => total + count, 0),
    quality: {
      withoutEnd: sorted.week.filter(({ endedAt }) => endedAt === null).length,
      late: sorted.week.filter(({ endedAt, updatedAt }) => endedAt !== null && updatedAt - endedAt > HOUR_MS).length,
    },
  };
};
