import type { Database } from '../platform/index.ts';
import type { Outcome } from './call.ts';
import type { Direction } from './call-event.ts';

/** `[startsAt, endsAt)`. A call belongs to the time at which it began. */
export type Span = { startsAt: number; endsAt: number };

/** With the beginning of the week before it, and how long the pieces are into which it is cut. */
export type CountedSpan = Span & { beforeStartsAt: number; pieceMs: number };

/** Reads are made beside the event loop, and ended after this. */
export const PATIENCE_MS = 120_000;
/** Refusals are counted for so long at a time. */
export const PIECE_MS = 900_000;
/** Whatever is told of a call so long after its end came late. */
export const LATE_MS = 3_600_000;

/** Calls that are alike. Outcome null: they have not ended. */
export type EndedCalls = { direction: Direction; outcome: Outcome | null; calls: number; talkSeconds: number };

export type CountedWeek = {
  ended: EndedCalls[];
  /** Of the week before. */
  before: EndedCalls[];
  /** Calls that began within the same piece of time, by when it begins. */
  pieces: { at: number; calls: number; untaken: number }[];
  /** Calls that came in, by the hash of the number that was called. */
  numbers: { hash: string | null; calls: number; answered: number; untaken: number }[];
  /** How many calls were answered after so many whole seconds, the shortest first. */
  secondsToAnswer: { seconds: number; calls: number }[];
  /** Who called: how many, how many of them more than once, and how many never before. */
  callers: { total: number; repeat: number; firstTime: number };
  withoutEnd: number;
  late: number;
  /** Told of in that time, by what became of them. */
  recordings: { state: string; recordings: number }[];
};

const INBOUND = "direction = 'inbound'";
/** As `isUntaken` says it of a call. */
export const UNTAKEN = `${INBOUND} and outcome is not null and outcome not in ('answered', 'unknown')`;
const ANSWERED = `${INBOUND} and outcome = 'answered'`;
const PIECE = 'started_at / $5 * $5';
const WAIT = '(answered_at - started_at) / 1000';
const IS_NEW = `not exists (select 1 from calls p where p.team_id = $1 and p.from_hash = callers.from_hash
  and p.direction = 'inbound' and p.started_at < $2)`;

type Part = 'ended' | 'before' | 'piece' | 'number' | 'wait' | 'caller' | 'quality' | 'recording';
/** What every part answers: what is counted, and up to three counts of it. */
type Counted = {
  part: Part;
  word: string | null;
  outcome: Outcome | null;
  at: number;
  one: number;
  two: number;
  three: number;
};
type Question = { word?: string; outcome?: string; at?: string; counts: readonly string[]; from: string };

const countIf = (condition: string): string => `count(*) filter (where ${condition})`;

const alike = (from: string): Question => ({
  word: 'direction',
  outcome: 'outcome',
  counts: ['count(*)', 'coalesce(sum(talk_seconds), 0)'],
  from: `${from} group by direction, outcome`,
});

const QUESTIONS: Readonly<Record<Part, Question>> = {
  ended: alike('week'),
  before: alike('calls where team_id = $1 and started_at >= $4 and started_at < $2'),
  piece: { at: PIECE, counts: ['count(*)', countIf(UNTAKEN)], from: `week group by ${PIECE}` },
  number: {
    word: 'to_hash',
    counts: ['count(*)', countIf(ANSWERED), countIf(UNTAKEN)],
    from: `week where ${INBOUND} group by to_hash`,
  },
  wait: { at: WAIT, counts: ['count(*)'], from: `week where ${ANSWERED} and answered_at is not null group by ${WAIT}` },
  caller: { counts: ['count(*)', countIf('calls > 1'), countIf(IS_NEW)], from: 'callers' },
  quality: { counts: [countIf('ended_at is null'), countIf(`updated_at > ended_at + ${LATE_MS}`)], from: 'week' },
  recording: {
    word: 'state',
    counts: ['count(*)'],
    from: 'recordings where team_id = $1 and created_at >= $2 and created_at < $3 group by state',
  },
};

const toSelect = ([part, { word, outcome, at, counts, from }]: [string, Question]): string => {
  const [one = 0, two = 0, three = 0] = counts;
  return `select '${part}' as part, cast(${word ?? null} as text) as word, cast(${outcome ?? null} as text) as outcome,
    cast(${at ?? null} as bigint) as at, cast(${one} as bigint) as one, cast(${two} as bigint) as two,
    cast(${three} as bigint) as three from ${from}`;
};

/** One statement for all of it: the rows of the week are read once, and that is what a report costs. */
const COUNT_WEEK = `with week as materialized (
    select direction, outcome, from_hash, to_hash, started_at, answered_at, ended_at, talk_seconds, updated_at
    from calls where team_id = $1 and started_at >= $2 and started_at < $3),
  callers as (select from_hash, count(*) as calls from week where ${INBOUND} and from_hash is not null group by from_hash)
  ${Object.entries(QUESTIONS).map(toSelect).join(' union all ')}`;

/** Counted in the database, beside the event loop. However many calls there are, what comes back is small. */
export const countWeek = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt, beforeStartsAt, pieceMs }: CountedSpan,
): Promise<CountedWeek> => {
  const values = [teamId, startsAt, endsAt, beforeStartsAt, pieceMs];
  const rows = await database.scan<Counted>(COUNT_WEEK, values, PATIENCE_MS);
  const of = (wanted: Part): Counted[] => rows.filter(({ part }) => part === wanted);
  const toEnded = ({ word, outcome, one, two }: Counted): EndedCalls => ({
    direction: word === 'inbound' ? 'inbound' : 'outbound',
    outcome,
    calls: one,
    talkSeconds: two,
  });
  const [caller] = of('caller');
  const [quality] = of('quality');
  return {
    ended: of('ended').map(toEnded),
    before: of('before').map(toEnded),
    pieces: of('piece').map(({ at, one, two }) => ({ at, calls: one, untaken: two })),
    numbers: of('number').map(({ word, one, two, three }) => ({
      hash: word,
      calls: one,
      answered: two,
      untaken: three,
    })),
    secondsToAnswer: of('wait')
      .map(({ at, one }) => ({ seconds: at, calls: one }))
      .sort((left, right) => left.seconds - right.seconds),
    callers: { total: caller?.one ?? 0, repeat: caller?.two ?? 0, firstTime: caller?.three ?? 0 },
    withoutEnd: quality?.one ?? 0,
    late: quality?.two ?? 0,
    recordings: of('recording').map(({ word, one }) => ({ state: word ?? '', recordings: one })),
  };
};
