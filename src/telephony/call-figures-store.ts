import type { Database } from '../platform/index.ts';
import type { Outcome } from './call.ts';
import type { Direction } from './call-event.ts';

/** `[startsAt, endsAt)`. A call belongs to the time at which it began. */
export type Span = { startsAt: number; endsAt: number };

/** Reads are made beside the event loop, and ended after this. */
const PATIENCE_MS = 60_000;
/** Every zone is a multiple of this away from UTC, so that a piece lies in one hour of any clock. */
export const PIECE_MS = 900_000;

/** Calls that began within the same quarter of an hour and are alike. */
export type CallPiece = {
  piece: number;
  direction: Direction;
  outcome: Outcome | null;
  toHash: string | null;
  calls: number;
  talkSeconds: number;
};

const toNumbers = <Row extends object>(rows: Row[], names: readonly (keyof Row)[]): Row[] =>
  rows.map((row) => ({ ...row, ...Object.fromEntries(names.map((name) => [name, Number(row[name])])) }));

export const listCallPieces = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt }: Span,
): Promise<CallPiece[]> =>
  toNumbers(
    await database.scan<CallPiece>(
      `select started_at / ${PIECE_MS} as piece, direction, outcome, to_hash as "toHash", count(*) as calls,
        coalesce(sum(talk_seconds), 0) as "talkSeconds"
        from calls where team_id = $1 and started_at >= $2 and started_at < $3
        group by started_at / ${PIECE_MS}, direction, outcome, to_hash`,
      [teamId, startsAt, endsAt],
      PATIENCE_MS,
    ),
    ['piece', 'calls', 'talkSeconds'],
  );

/** How many calls were answered after so many whole seconds. */
export const listSecondsToAnswer = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt }: Span,
): Promise<{ seconds: number; calls: number }[]> =>
  toNumbers(
    await database.scan<{ seconds: number; calls: number }>(
      `select (answered_at - started_at) / 1000 as seconds, count(*) as calls from calls
        where team_id = $1 and started_at >= $2 and started_at < $3
          and direction = 'inbound' and outcome = 'answered' and answered_at is not null
        group by (answered_at - started_at) / 1000`,
      [teamId, startsAt, endsAt],
      PATIENCE_MS,
    ),
    ['seconds', 'calls'],
  ).sort((left, right) => left.seconds - right.seconds);

/** Who called: how many, how many of them more than once, and how many never before. */
export const countCallers = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt }: Span,
): Promise<{ total: number; repeat: number; firstTime: number }> => {
  const [row] = await database.scan<{ total: number; repeat: number | null; firstTime: number | null }>(
    `select count(*) as total, sum(case when c.calls > 1 then 1 else 0 end) as repeat,
      sum(case when exists (select 1 from calls p where p.team_id = $1 and p.from_hash = c.from_hash
        and p.direction = 'inbound' and p.started_at < $2) then 0 else 1 end) as "firstTime"
      from (select from_hash, count(*) as calls from calls
        where team_id = $1 and started_at >= $2 and started_at < $3 and direction = 'inbound' and from_hash is not null
        group by from_hash) c`,
    [teamId, startsAt, endsAt],
    PATIENCE_MS,
  );
  return { total: Number(row?.total ?? 0), repeat: Number(row?.repeat ?? 0), firstTime: Number(row?.firstTime ?? 0) };
};

const STILL_WAITS = `team_id = $1 and started_at >= $2 and started_at < $3 and direction = 'inbound'
  and outcome is not null and outcome not in ('answered', 'unknown')
  and (marked_returned_at is null or marked_returned_at >= $4)
  and not exists (select 1 from calls o where o.team_id = c.team_id and o.to_hash = c.from_hash
    and o.direction = 'outbound' and o.started_at > c.started_at and o.started_at < $4)
  and not exists (select 1 from calls o where o.team_id = c.team_id and o.from_hash = c.from_hash
    and o.direction = 'inbound' and o.outcome = 'answered' and o.started_at > c.started_at and o.started_at < $4)`;

/** Calls that nobody took and that were not returned before `asOf`, oldest first. */
export const listStillWaiting = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt }: Span,
  asOf: number,
  limit: number,
): Promise<{ total: number; ids: string[] }> => {
  const values = [teamId, startsAt, endsAt, asOf];
  const [count] = await database.scan<{ total: number }>(
    `select count(*) as total from calls c where ${STILL_WAITS}`,
    values,
    PATIENCE_MS,
  );
  const rows = await database.scan<{ id: string }>(
    `select id from calls c where ${STILL_WAITS} order by started_at, id limit $5`,
    [...values, limit],
    PATIENCE_MS,
  );
  return { total: Number(count?.total ?? 0), ids: rows.map(({ id }) => id) };
};

export const countWithoutEnd = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt }: Span,
): Promise<number> => {
  const [row] = await database.scan<{ total: number }>(
    `select count(*) as total from calls
      where team_id = $1 and started_at >= $2 and started_at < $3 and ended_at is null`,
    [teamId, startsAt, endsAt],
    PATIENCE_MS,
  );
  return Number(row?.total ?? 0);
};

/** Recordings that were told of in that time, by what became of them. */
export const countRecordings = async (
  database: Pick<Database, 'scan'>,
  teamId: string,
  { startsAt, endsAt }: Span,
): Promise<{ made: number; archived: number; failed: number }> => {
  const rows = await database.scan<{ state: string; total: number }>(
    `select state, count(*) as total from recordings where team_id = $1 and created_at >= $2 and created_at < $3
      group by state`,
    [teamId, startsAt, endsAt],
    PATIENCE_MS,
  );
  const of = (...states: string[]): number =>
    rows.filter(({ state }) => states.includes(state)).reduce((sum, { total }) => sum + Number(total), 0);
  return {
    made: of('announced', 'waiting', 'archived', 'failed', 'removed'),
    archived: of('archived', 'removed'),
    failed: of('failed'),
  };
};
