import { spanOf } from '../../src/reports/week/week.ts';

export const WEEK = '2026-W45';
export const SPAN = spanOf(WEEK, 'UTC');
export const WEEK_MS = SPAN.endsAt - SPAN.startsAt;
/** When the oldest call starts. The calls are from two years. A report reads only the last two weeks. */
export const BEGAN_AT = SPAN.endsAt - 104 * WEEK_MS;

/** Generated calls at equal intervals, of this many teams, each with this many people. */
export type MadeCalls = {
  first: number;
  count: number;
  from: number;
  until: number;
  teams: number;
  people: number;
  /** Stands for the sealed phone numbers of a call, and for its evidence. If empty, the call has no phone numbers. */
  filler: string;
};

/** As long as the sealed values in real rows. */
export const REAL_FILLER = 'sealed'.padEnd(130, '.');
/** For calls that no report reads. */
const SHORT_FILLER = 'sealed';

/** The tables whose indexes are created after all rows are inserted, which is quicker with ten million rows. */
export const FILLED_TABLES = ['calls', 'recordings'];

/**
 * Tables of the teams and people, both numbered from 0. Person -1 is the team's own line. For a person who isn't in the
 * table, a hash is made up.
 */
export const CREATE_CROWD = `create table bench_teams (number bigint primary key, team_id text not null, account_id text not null);
  create table bench_people (number bigint primary key, hash text not null)`;

/** SQL: numbers that look random, but are the same on both engines. Each is multiplied, modulo a prime. */
const SHUFFLED = `with recursive n (i) as (select cast($1 as bigint) union all select i + 1 from n where i + 1 < $1 + $2),
  mixed as (select i, (i * 2654435761) % 4294967291 as a, (i * 40503001 + 7) % 1000000007 as b from n),
  made as (select i, a % $5 as team, a / $5 % 20 as luck, b % $6 as person, b / $6 % 4 as way, b % 40 as seconds,
    $3 + (i - $1) * $4 / 1000 as at from mixed)`;

const PERSON_HASH = "coalesce(p.hash, 'person-' || person)";
const LINE_HASH = "coalesce(l.hash, 'line')";

/** Three out of four calls are inbound, and 12 out of 20 are answered. */
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

/** SQL: an ID in the form that the service uses, made from the ID of a call. */
export const UUID_OF_CALL = `'00000000-0000-7000-8000-00' || substr(id, 6)`;

/** Adds a recording for every twentieth call. */
export const INSERT_RECORDINGS = `insert into recordings (id, team_id, account_id, provider, external_id, call_key,
    told_status, state, created_at)
  select ${UUID_OF_CALL}, team_id, account_id, 'none', 'recording-' || id, external_id, 'available', 'archived', started_at
  from calls where id like '%00' or id like '%20' or id like '%40' or id like '%60' or id like '%80'`;

/** The values for `INSERT_CALLS`. The interval between two calls is in microseconds. */
export const valuesOf = ({ first, count, from, until, teams, people, filler }: MadeCalls): (number | string)[] => [
  first,
  count,
  from,
  Math.floor(((until - from) * 1_000) / count),
  teams,
  people,
  filler,
];

/** Makes calls for the last two weeks, the same in every store, and as many earlier calls as it takes for the total. */
export const spreadCalls = (stored: number, recent: number, crowd: { teams: number; people: number }): MadeCalls[] => {
  const recentFrom = SPAN.startsAt - WEEK_MS;
  return [
    { first: 0, count: recent, from: recentFrom, until: SPAN.endsAt, ...crowd, filler: REAL_FILLER },
    { first: recent, count: stored - recent, from: BEGAN_AT, until: recentFrom, ...crowd, filler: SHORT_FILLER },
  ];
};
