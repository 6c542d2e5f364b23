import type { Database } from '../../platform/index.ts';
import { PIECE_MS } from '../accounts/refusal-store.ts';
import { counts, REAL } from '../accounts/simulated-account-store.ts';
import type { CallOutcome } from '../calls/call.ts';
import { UNTAKEN } from '../calls/call-store.ts';
import { WAITING } from '../calls/waiting-call-store.ts';
import type { Direction } from '../contract/call-fact.ts';
import { createWeekTally, pickMostCalled, type TallyRow } from './week-tally.ts';

/** A period that includes `startsAt`, but not `endsAt`. A call belongs to the period in which it started. */
type Span = { startsAt: number; endsAt: number };

export type CountedSpan = Span & {
  /** When the week before this one begins. */
  beforeStartsAt: number;
  /** Length of each interval in `pieces`, by which calls are counted. */
  pieceMs: number;
  /** Calls that were still waiting at this time are listed as waiting. */
  asOf: number;
};

/** How long after a call's end an update is considered late. */
const LATE_MS = 3_600_000;

/** Calls with the same direction and outcome. The outcome is null if the calls haven't ended. */
export type EndedCalls = { direction: Direction; outcome: CallOutcome | null; calls: number; talkSeconds: number };

export const MOST_WAIT_SECONDS = 86_400;

/** A call that was neither answered nor returned. */
export type WaitingCall = { id: string; outcome: CallOutcome | null; startedAt: number };

/** How many calls, and how many recordings, one statement reads, so that each takes well under a tenth of a second. */
const PAGE = 5_000;

const INBOUND = "direction = 'inbound'";
const ANSWERED = `${INBOUND} and outcome = 'answered'`;
const PIECE = 'started_at / $5 * $5';
/** Whole seconds until a call was answered. More than a day counts as a day, so that there are few different values. */
const WAIT = `case when answered_at - started_at > ${MOST_WAIT_SECONDS * 1_000} then ${MOST_WAIT_SECONDS}
  else (answered_at - started_at) / 1000 end`;

const pastCalls = (of: string): string =>
  `calls p where p.team_id = $1 and p.from_hash = ${of}.from_hash and p.direction = 'inbound' and ${counts('p')}`;
const countIf = (condition: string): string => `count(*) filter (where ${condition})`;

/** Position of the last row that was read. */
type Place = [at: number, id: string];

type Question = { word?: string; outcome?: string; at?: string; counts: readonly string[]; from: string };

const alike = (from: string): Question => ({
  word: 'direction',
  outcome: 'outcome',
  counts: ['count(*)', 'coalesce(sum(talk_seconds), 0)'],
  from: `${from} group by direction, outcome`,
});

const lastOf = (page: string, at: string): Question => ({
  word: 'id',
  at,
  counts: [`(select count(*) from ${page})`],
  from: `(select id, ${at} from ${page} order by ${at} desc, id desc limit 1) last`,
});

const QUESTIONS = {
  ended: alike('week'),
  before: alike('page where started_at < $2'),
  piece: { at: PIECE, counts: ['count(*)', countIf(UNTAKEN)], from: `week group by ${PIECE}` },
  number: {
    word: 'to_hash',
    at: 'min(place)',
    counts: ['count(*)', countIf(ANSWERED), countIf(UNTAKEN)],
    from: `(select to_hash, direction, outcome, row_number() over (order by started_at, id) as place
      from week where ${INBOUND}) called group by to_hash`,
  },
  wait: { at: WAIT, counts: ['count(*)'], from: `week where ${ANSWERED} and answered_at is not null group by ${WAIT}` },
  caller: {
    counts: [
      countIf('earlier = 0'),
      countIf('earlier < 2 and earlier + calls > 1'),
      countIf(`earlier = 0 and not exists (select 1 from ${pastCalls('callers')} and p.started_at < $2)`),
    ],
    from: 'callers',
  },
  quality: { counts: [countIf('ended_at is null'), countIf(`updated_at > ended_at + ${LATE_MS}`)], from: 'week' },
  waiting: { word: 'id', outcome: 'outcome', at: 'started_at', counts: [], from: 'waiting' },
  allWaiting: { counts: ['coalesce(max(total), 0)'], from: 'waiting' },
  recording: { word: 'state', counts: ['count(*)'], from: 'recorded group by state' },
  /** Refusals are few, so all of them are counted with the first page. */
  refusal: {
    counts: ['coalesce(sum(count), 0)'],
    from: `telephony_refusals
      where $8 = '' and $10 = '' and team_id = $1 and ${REAL}
        and piece >= cast($2 as bigint) / ${PIECE_MS} and piece < cast($3 as bigint) / ${PIECE_MS}`,
  },
  lastCall: lastOf('page', 'started_at'),
  lastRecording: lastOf('recorded', 'created_at'),
} satisfies Record<string, Question>;

type Part = keyof typeof QUESTIONS;
type Row = TallyRow<Part>;

const toSelect = ([part, { word, outcome, at, counts, from }]: [string, Question]): string => {
  const [one = 0, two = 0, three = 0] = counts;
  return `select '${part}', cast(${one} as bigint), cast(${two} as bigint), cast(${three} as bigint),
    cast(${word ?? null} as text), cast(${outcome ?? null} as text), cast(${at ?? null} as bigint) from ${from}`;
};

/**
 * Counts everything about one page of calls in a single statement. The pages cover this week and the one before. Rows
 * are read only once, because reading is most of a report's cost. A caller is counted on the page with their first call
 * of the week, and as a repeat caller on the page with their second.
 */
const countPage = (rows: number, counted: string): string => `with page as materialized (
    select id, direction, outcome, from_hash, to_hash, started_at, answered_at, ended_at, talk_seconds, updated_at,
      marked_returned_at from calls where team_id = $1 and (started_at, id) > ($4, $8) and started_at < $3 and ${counted}
    order by started_at, id limit ${rows}),
  week as not materialized (select * from page where started_at >= $2),
  recorded as materialized (
    select id, state, created_at from recordings where team_id = $1 and (created_at, id) > ($9, $10) and created_at < $3 and ${counted}
    order by created_at, id limit ${rows}),
  callers as materialized (select from_hash, count(*) as calls,
      (select count(*) from (select 1 as one from ${pastCalls('week')} and p.started_at >= $2
        and (p.started_at, p.id) <= ($4, $8) limit 2) two) as earlier
    from week where ${INBOUND} and from_hash is not null group by from_hash),
  ${WAITING}
  ${Object.entries(QUESTIONS).map(toSelect).join(' union all ')}`;

const toEnded = ([, calls, talkSeconds, , direction, outcome]: Row): EndedCalls => ({
  direction: direction === 'inbound' ? 'inbound' : 'outbound',
  outcome,
  calls,
  talkSeconds,
});

/**
 * Counts a week's calls in the database, off the event loop. The result is small, however many calls there are. There
 * is one statement per page, so that other work runs in between, and no long read keeps SQLite from truncating its log.
 */
export const countWeek = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt, beforeStartsAt, pieceMs, asOf }: CountedSpan,
  { mostWaiting, page = PAGE, withDemo = false }: { mostWaiting: number; page?: number; withDemo?: boolean },
) => {
  const tally = createWeekTally<Part>();
  let call: Place = [beforeStartsAt, ''];
  let recording: Place = [startsAt, ''];
  for (let isFull = true; isFull; ) {
    const [startedAt, id] = call;
    const values = [teamId, startsAt, endsAt, startedAt, pieceMs, asOf, mostWaiting, id, ...recording];
    const rows = await database.scan<Row>(countPage(page, withDemo ? 'true' : REAL), values);
    tally.addPage(rows);
    const lasts = rows.filter(([part]) => part === 'lastCall' || part === 'lastRecording');
    for (const [part, , , , lastId, , at] of lasts) {
      if (part === 'lastCall') call = [at, lastId ?? ''];
      else recording = [at, lastId ?? ''];
    }
    isFull = lasts.some(([, read]) => read === page);
  }
  const parts = tally.parts();
  const of = (part: Part): Row[] => parts.get(part) ?? [];
  const countOf = (part: Part): Row => of(part)[0] ?? [part, 0, 0, 0, null, null, 0];
  const [, total, repeat, firstTime] = countOf('caller');
  const [, withoutEnd, late] = countOf('quality');
  const [, refused] = countOf('refusal');
  return {
    ended: of('ended').map(toEnded),
    /** Calls of the week before. */
    before: of('before').map(toEnded),
    /** Calls for each piece of time. `at` is when the piece starts. */
    pieces: of('piece').map(([, calls, untaken, , , , at]) => ({ at, calls, untaken })),
    /** Inbound calls by the hash of the called number, or null for unknown numbers and those beyond the limit. */
    numbers: pickMostCalled(
      of('number').map(([, calls, answered, untaken, hash]) => ({ hash, calls, answered, untaken })),
    ),
    /** How many calls were answered after this many whole seconds, shortest first. */
    secondsToAnswer: of('wait')
      .map(([, calls, , , , , seconds]) => ({ seconds, calls }))
      .sort((left, right) => left.seconds - right.seconds),
    /** How many people called, how many of them more than once, and how many for the first time ever. */
    callers: { total, repeat, firstTime },
    withoutEnd,
    late,
    /** How many calls are waiting, and the oldest of them. */
    waiting: {
      total: countOf('allWaiting')[1],
      oldest: of('waiting')
        .map(([, , , , id, outcome, startedAt]): WaitingCall => ({ id: id ?? '', outcome, startedAt }))
        .sort((left, right) => left.startedAt - right.startedAt || (left.id < right.id ? -1 : 1))
        .slice(0, mostWaiting),
    },
    /** Recordings reported in this week, by state. */
    recordings: of('recording').map(([, recordings, , , state]) => ({ state: state ?? '', recordings })),
    /** How many deliveries didn't verify. */
    refused,
  };
};
