import type { Database } from '../../platform/index.ts';
import { PIECE_MS } from '../accounts/refusal-store.ts';
import type { Outcome } from '../calls/call.ts';
import { UNTAKEN } from '../calls/call-store.ts';
import { WAITING } from '../calls/waiting-call-store.ts';
import type { Direction } from '../contract/call-event.ts';

/** `[startsAt, endsAt)`. A call belongs to when it started. */
export type Span = { startsAt: number; endsAt: number };

export type CountedSpan = Span & {
  /** The beginning of the week before it. */
  beforeStartsAt: number;
  /** The length of its pieces. */
  pieceMs: number;
  /** The moment at which calls still waiting are counted. */
  asOf: number;
};

/** An update this long after a call's end is late. */
const LATE_MS = 3_600_000;

/** Calls with the same direction and outcome. Outcome null: not ended. */
export type EndedCalls = { direction: Direction; outcome: Outcome | null; calls: number; talkSeconds: number };

/** Unanswered and not returned. */
export type WaitingCall = { id: string; outcome: Outcome | null; startedAt: number };

const INBOUND = "direction = 'inbound'";
const ANSWERED = `${INBOUND} and outcome = 'answered'`;
const PIECE = 'started_at / $5 * $5';
const WAIT = '(answered_at - started_at) / 1000';
const IS_NEW = `not exists (select 1 from calls p where p.team_id = $1 and p.from_hash = callers.from_hash
  and p.direction = 'inbound' and p.started_at < $2)`;

const countIf = (condition: string): string => `count(*) filter (where ${condition})`;

/** How many called numbers are listed. The calls of all others are counted together, as those of an unknown number. */
export const MOST_NUMBERS = 1_000;

/** Of numbers with as many calls, the one whose first call has the smallest id: engines may order hashes differently. */
const CALLED = `select to_hash, count(*) as calls, ${countIf(ANSWERED)} as answered, ${countIf(UNTAKEN)} as untaken,
    row_number() over (order by case when to_hash is null then 1 else 0 end, count(*) desc, min(id)) as place
  from week where ${INBOUND} group by to_hash`;

type Question = { word?: string; outcome?: string; at?: string; counts: readonly string[]; from: string };

const alike = (from: string): Question => ({
  word: 'direction',
  outcome: 'outcome',
  counts: ['count(*)', 'coalesce(sum(talk_seconds), 0)'],
  from: `${from} group by direction, outcome`,
});

const QUESTIONS = {
  ended: alike('week'),
  before: alike('calls where team_id = $1 and started_at >= $4 and started_at < $2'),
  piece: { at: PIECE, counts: ['count(*)', countIf(UNTAKEN)], from: `week group by ${PIECE}` },
  number: {
    word: 'hash',
    counts: ['sum(calls)', 'sum(answered)', 'sum(untaken)'],
    from: `(select case when place <= ${MOST_NUMBERS} then to_hash end as hash, calls, answered, untaken
      from (${CALLED}) called) listed group by hash`,
  },
  wait: { at: WAIT, counts: ['count(*)'], from: `week where ${ANSWERED} and answered_at is not null group by ${WAIT}` },
  caller: { counts: ['count(*)', countIf('calls > 1'), countIf(IS_NEW)], from: 'callers' },
  quality: { counts: [countIf('ended_at is null'), countIf(`updated_at > ended_at + ${LATE_MS}`)], from: 'week' },
  waiting: { word: 'id', outcome: 'outcome', at: 'started_at', counts: ['total'], from: 'waiting' },
  recording: {
    word: 'state',
    counts: ['count(*)'],
    from: 'recordings where team_id = $1 and created_at >= $2 and created_at < $3 group by state',
  },
  refusal: {
    counts: ['coalesce(sum(count), 0)'],
    from: `telephony_refusals where team_id = $1 and piece >= $2 / ${PIECE_MS} and piece < $3 / ${PIECE_MS}`,
  },
} satisfies Record<string, Question>;

type Part = keyof typeof QUESTIONS;
/** What every part returns: up to three counts, and of what. */
type Counted = [
  ...[part: Part, one: number, two: number, three: number],
  ...[word: string | null, outcome: Outcome | null, at: number],
];

const toSelect = ([part, { word, outcome, at, counts, from }]: [string, Question]): string => {
  const [one = 0, two = 0, three = 0] = counts;
  return `select '${part}', cast(${one} as bigint), cast(${two} as bigint), cast(${three} as bigint),
    cast(${word ?? null} as text), cast(${outcome ?? null} as text), cast(${at ?? null} as bigint) from ${from}`;
};

/** One statement for everything: the week's rows are read once, which is most of a report's cost. */
const COUNT_WEEK = `with week as materialized (
    select id, direction, outcome, from_hash, to_hash, started_at, answered_at, ended_at, talk_seconds, updated_at,
      marked_returned_at from calls where team_id = $1 and started_at >= $2 and started_at < $3),
  callers as (select from_hash, count(*) as calls from week where ${INBOUND} and from_hash is not null group by from_hash),
  ${WAITING}
  ${Object.entries(QUESTIONS).map(toSelect).join(' union all ')}`;

const toEnded = ([, calls, talkSeconds, , direction, outcome]: Counted): EndedCalls => ({
  direction: direction === 'inbound' ? 'inbound' : 'outbound',
  outcome,
  calls,
  talkSeconds,
});

/** Counted in the database, off the event loop. The result is small, however many calls there are. */
export const countWeek = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt, beforeStartsAt, pieceMs, asOf }: CountedSpan,
  mostWaiting: number,
) => {
  const values = [teamId, startsAt, endsAt, beforeStartsAt, pieceMs, asOf, mostWaiting];
  const rows = await database.scan<Counted>(COUNT_WEEK, values);
  const parts = Map.groupBy(rows, ([part]) => part);
  const of = (part: Part): Counted[] => parts.get(part) ?? [];
  const countOf = (part: Part): Counted => of(part)[0] ?? [part, 0, 0, 0, null, null, 0];
  const [, total, repeat, firstTime] = countOf('caller');
  const [, withoutEnd, late] = countOf('quality');
  const [, refused] = countOf('refusal');
  return {
    ended: of('ended').map(toEnded),
    /** Of the week before. */
    before: of('before').map(toEnded),
    /** Calls per piece of time, by when it starts. */
    pieces: of('piece').map(([, calls, untaken, , , , at]) => ({ at, calls, untaken })),
    /** Inbound calls by the hash of the called number; null for unknown ones, and for those beyond the limit. */
    numbers: of('number').map(([, calls, answered, untaken, hash]) => ({ hash, calls, answered, untaken })),
    /** How many calls were answered after how many whole seconds, shortest first. */
    secondsToAnswer: of('wait')
      .map(([, calls, , , , , seconds]) => ({ seconds, calls }))
      .sort((left, right) => left.seconds - right.seconds),
    /** Who called: how many, how many of them more than once, and how many never before. */
    callers: { total, repeat, firstTime },
    withoutEnd,
    late,
    /** How many are waiting, and the oldest of them. */
    waiting: {
      total: countOf('waiting')[1],
      oldest: of('waiting')
        .map(([, , , , id, outcome, startedAt]): WaitingCall => ({ id: id ?? '', outcome, startedAt }))
        .sort((left, right) => left.startedAt - right.startedAt || (left.id < right.id ? -1 : 1)),
    },
    /** Reported in that time, by state. */
    recordings: of('recording').map(([, recordings, , , state]) => ({ state: state ?? '', recordings })),
    /** Deliveries that did not verify. */
    refused,
  };
};
