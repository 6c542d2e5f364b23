import { spanOf } from '../../src/reports/week/week.ts';

export const WEEK = '2026-W45';
export const SPAN = spanOf(WEEK, 'UTC');
export const WEEK_MS = SPAN.endsAt - SPAN.startsAt;
/** Two years, of which the last two weeks are those that a report looks at. */
export const BEGAN_AT = SPAN.endsAt - 104 * WEEK_MS;

/** Calls at equal intervals, from this many teams and this many people per team. */
export type MadeCalls = {
  first: number;
  count: number;
  from: number;
  until: number;
  teams: number;
  people: number;
  /** Placeholder for the sealed ends of a call and its evidence. Empty if the ends were not reported. */
  filler: string;
};

/** As long as what is sealed in real rows. */
export const REAL_FILLER = 'sealed'.padEnd(130, '.');
/** Of calls that a report never looks at. */
const SHORT_FILLER = 'sealed';

/** Their indexes come back when all rows are there: sorting once is faster than keeping ten million rows sorted. */
export const FILLED_TABLES = ['calls', 'recordings'];

/**
 * Both are numbered from 0. The hash of a person's number is made up unless there is one here; -1 is the line that they
 * call, and that calls them.
 */
export const CREATE_CROWD = `create table bench_teams (number bigint primary key, team_id text not null, account_id text not null);
  create table bench_people (number bigint primary key, hash text not null)`;

/** Numbers that look random and are the same on both engines: a factor and a prime. */
const SHUFFLED = `with recursive n (i) as (select cast($1 as bigint) union all select i + 1 from n where i + 1 < $1 + $2),
  mixed as (select i, (i * 2654435761) % 4294967291 as a, (i * 40503001 + 7) % 1000000007 as b from n),
  made as (select i, a % $5 as team, a / $5 % 20 as luck, b % $6 as person, b / $6 % 4 as way, b % 40 as seconds,
    $3 + (i - $1) * $4 / 1000 as at from mixed)`;

const PERSON_HASH = "coalesce(p.hash, 'person-' || person)";
const LINE_HASH = "coalesce(l.hash, 'line')";

/** Three out of four are inbound, and 12 out of 20 are answered. */
export const INSERT_CALLS = `insert into calls (id, team_id, account_id, provider, external_id, direction, from_hash,
    from_party, to_hash, to_party, status, outcome, evidence, started_at, answered_at, ended_at, talk_seconds, updated_at)
  ${SHUFFLED}
  select 'call-' || (1000000000 + i), t.team_id, t.account_id, 'none', 'external-' || (1000000000 + i),
    case way when 0 then 'outbound' else 'inbound' end,
    case way when 0 then ${LINE_HASH} else ${PERSON_HASH} end, nullif($7, ''),
    case way when 0 then ${PERSON_HASH} else ${LINE_HASH} end, nullif($7, ''), 'ended',
    case when luck < 12 then 'answered' when luck < 15 then 'missed' when luck < 17 then 'abandoned'
      when luck < 19 then 'voicemail' else 'busy' end,
    $7, at, case when luck < 12 then at + seconds * 1000 end, at + 60000, case when luck < 12 then seconds * 9 end,
    at + 61000 + case luck when 14 then 7200000 else 0 end
  from made join bench_teams t on t.number = made.team left join bench_people p on p.number = made.person
    left join bench_people l on l.number = -1`;

/** An id of the form that the service uses, made from the id of a call. */
export const UUID_OF_CALL = `'00000000-0000-7000-8000-00' || substr(id, 6)`;

/** Of every twentieth call. */
export const INSERT_RECORDINGS = `insert into recordings (id, team_id, account_id, provider, external_id, call_key,
    told_status, state, created_at)
  select ${UUID_OF_CALL}, team_id, account_id, 'none', 'recording-' || id, external_id, 'available', 'archived', started_at
  from calls where id like '%00' or id like '%20' or id like '%40' or id like '%60' or id like '%80'`;

/** What the placeholders of `INSERT_CALLS` stand for. Distances are in thousandths of a millisecond. */
export const valuesOf = ({ first, count, from, until, teams, people, filler }: MadeCalls): (number | string)[] => [
  first,
  count,
  from,
  Math.floor(((until - from) * 1_000) / count),
  teams,
  people,
  filler,
];

/** The same two weeks in every store, preceded by enough calls to reach the total. */
export const spreadCalls = (stored: number, recent: number, crowd: { teams: number; people: number }): MadeCalls[] => {
  const recentFrom = SPAN.startsAt - WEEK_MS;
  return [
    { first: 0, count: recent, from: recentFrom, until: SPAN.endsAt, ...crowd, filler: REAL_FILLER },
    { first: recent, count: stored - recent, from: BEGAN_AT, until: recentFrom, ...crowd, filler: SHORT_FILLER },
  ];
};
