import type { Queries } from '../../platform/index.ts';
import { counts } from '../accounts/simulated-account-store.ts';
import { NAMED_AT } from '../people/person-store.ts';
import { type CallRow, UNTAKEN } from './call-store.ts';

const spokenAt = (condition: string): string => `case when place = 1 and from_hash is not null then
  (select max(o.started_at) from calls o where o.team_id = $1 and ${condition} and o.started_at > $2 and o.started_at < $6
    and ${counts('o')})
  end`;

/**
 * SQL for the unanswered calls that were not returned before $6: the $7 oldest, and how many there are (`total`). The
 * statement has to define `week` first, with the calls of the team ($1). The time when the team last spoke with a
 * caller is looked up only at the caller's first call (`place = 1`). One lookup per call would take quadratic time for
 * someone who calls a thousand times in vain, and on PostgreSQL, a join may be just as slow.
 */
export const WAITING = `untaken as (
    select id, from_hash, outcome, started_at, row_number() over (partition by from_hash order by started_at, id) as place
    from week where ${UNTAKEN} and (marked_returned_at is null or marked_returned_at >= $6)),
  looked_up as (
    select id, from_hash, outcome, started_at,
      ${spokenAt("o.to_hash = untaken.from_hash and o.direction = 'outbound'")} as called_back_at,
      ${spokenAt("o.from_hash = untaken.from_hash and o.direction = 'inbound' and o.outcome = 'answered'")} as answered_at
    from untaken),
  spoken as (
    select id, outcome, started_at, max(called_back_at) over (partition by from_hash) as called_back_at,
      max(answered_at) over (partition by from_hash) as answered_at from looked_up),
  waiting as (
    select id, outcome, started_at, count(*) over () as total from spoken
    where coalesce(called_back_at, 0) <= started_at and coalesce(answered_at, 0) <= started_at
    order by started_at, id limit $7)`;

type Caller = Pick<
  CallRow,
  'id' | 'teamId' | 'accountId' | 'externalId' | 'fromParty' | 'direction' | 'fromHash' | 'toHash'
> & { namedAt: number | null };

export const listCallers = async (queries: Queries, teamId: string, callIds: readonly string[]): Promise<Caller[]> =>
  // This is a join, because for `id in (…)`, SQLite reads every call of the team.
  queries.allFrom<Caller>(
    { columns: { team_id: 'text', id: 'text' }, rows: callIds.map((id) => [teamId, id]) },
    `select c.id, c.team_id as "teamId", c.account_id as "accountId", c.external_id as "externalId",
        c.from_party as "fromParty", c.direction as direction, c.from_hash as "fromHash", c.to_hash as "toHash",
        ${NAMED_AT} as "namedAt" from rows join calls c on c.id = rows.id and c.team_id = rows.team_id`,
  );
