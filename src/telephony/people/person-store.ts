import { defineRow, deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';

/** A number whose caller is known, or is to be looked up. */
export type PersonRow = {
  teamId: string;
  partyHash: string;
  /** The newest call with the number, as far as this is known. */
  callId: string;
  /** The contact, sealed. Null if there is none. */
  person: string | null;
  provider: string | null;
  connectionId: string | null;
  /** When `person` last changed. */
  namedAt: number | null;
  /** When everybody who was asked last answered. */
  askedAt: number | null;
  dueAt: number | null;
};

const COLUMNS = `p.team_id as "teamId", p.party_hash as "partyHash", p.call_id as "callId", p.person as person,
  p.provider as provider, p.connection_id as "connectionId", p.named_at as "namedAt", p.asked_at as "askedAt",
  p.due_at as "dueAt"`;

/** SQL for the hash of the number that a call `c` was with, which isn't the team's own. */
const OTHER_HASH = `case when c.direction = 'inbound' then c.from_hash else c.to_hash end`;

/** SQL for when the name of a call `c` last changed. Null if it has none. */
export const NAMED_AT = `(select p.named_at from call_people p where p.team_id = c.team_id and p.party_hash = ${OTHER_HASH})`;

const OF_HASH = defineRow({ teamId: 'text', partyHash: 'text' });

/** Lists what is known of these numbers. */
export const listPersons = (
  queries: Queries,
  numbers: readonly Pick<PersonRow, 'teamId' | 'partyHash'>[],
): Promise<PersonRow[]> =>
  numbers.length === 0
    ? Promise.resolve([])
    : queries.allFrom<PersonRow>(
        OF_HASH.toTable([...numbers]),
        `select ${COLUMNS} from (select distinct team_id, party_hash from rows) r
          join call_people p on p.team_id = r.team_id and p.party_hash = r.party_hash`,
      );

const LOOKUP = defineRow({ teamId: 'text', callId: 'text', now: 'bigint' });
/** How long what was found, or not found, counts. */
export const LOOKUP_FRESH_MS = 24 * 3_600_000;

/**
 * Makes the numbers of these calls due for a lookup, unless they were looked up lately, or are due anyway. Calls that are
 * gone, and those from private numbers, are left out.
 */
export const makeDueForLookup = (
  tx: Transaction,
  calls: readonly { teamId: string; callId: string }[],
  now: number,
): Promise<number> =>
  calls.length === 0
    ? Promise.resolve(0)
    : tx.runFrom(
        LOOKUP.toTable(calls.map((call) => ({ ...call, now }))),
        `insert into call_people (team_id, party_hash, call_id, due_at)
          select c.team_id, ${OTHER_HASH}, max(c.id), max(rows.now) from rows
            join calls c on c.id = rows.call_id and c.team_id = rows.team_id
            where ${OTHER_HASH} is not null group by c.team_id, ${OTHER_HASH} order by 1, 2
          on conflict (team_id, party_hash) do update set call_id = excluded.call_id,
            due_at = case when call_people.due_at is not null then call_people.due_at
              when call_people.asked_at is null or call_people.asked_at <= excluded.due_at - ${LOOKUP_FRESH_MS}
              then excluded.due_at end`,
      );

/** How many numbers of one team are listed at once, so that no team fills the list. */
const PER_TEAM = 8;
const MOST_LISTED = 200;

/** Lists numbers that are due and that nobody is looking up. Those that have been due longest come first. */
export const listDuePersons = (queries: Queries, now: number): Promise<PersonRow[]> =>
  queries.all<PersonRow>(
    `select ${COLUMNS} from (select *, row_number() over (partition by team_id order by due_at, party_hash) as place
        from call_people where due_at <= $1 and (lease_until is null or lease_until <= $1)) p
      where p.place <= ${PER_TEAM} order by p.due_at limit ${MOST_LISTED}`,
    [now],
  );

type Key = Pick<PersonRow, 'teamId' | 'partyHash'>;
const IS_KEY = 'team_id = $1 and party_hash = $2';

/** Takes a number, so that no other process looks it up. Returns 0 if another has it. */
export const leasePerson = (
  queries: Queries,
  { teamId, partyHash }: Key,
  { now, until }: { now: number; until: number },
): Promise<number> =>
  queries.run(
    `update call_people set lease_until = $4 where ${IS_KEY} and due_at <= $3
      and (lease_until is null or lease_until <= $3)`,
    [teamId, partyHash, now, until],
  );

/** Locks a call that names belong to. Returns false if it was erased. */
export const lockNamedCall = async (tx: Transaction, teamId: string, callId: string): Promise<boolean> =>
  (await tx.get('select id from calls where team_id = $1 and id = $2 for update', [teamId, callId])) !== undefined;

type Settled = Pick<PersonRow, 'person' | 'provider' | 'connectionId' | 'namedAt' | 'askedAt'>;

/** Stores what a lookup has brought. */
export const settlePerson = (
  queries: Queries,
  { teamId, partyHash }: Key,
  { person, provider, connectionId, namedAt, askedAt }: Settled,
): Promise<number> =>
  queries.run(
    `update call_people set person = $3, provider = $4, connection_id = $5, named_at = $6, asked_at = $7,
      due_at = null, lease_until = null where ${IS_KEY}`,
    [teamId, partyHash, person, provider, connectionId, namedAt, askedAt],
  );

/** Makes all of a team's numbers wait that would be due before a time, and gives one of them back. */
export const postponeLookups = async (queries: Queries, { teamId, partyHash }: Key, until: number): Promise<void> => {
  await queries.run(`update call_people set lease_until = null where ${IS_KEY}`, [teamId, partyHash]);
  await queries.run('update call_people set due_at = $2 where team_id = $1 and due_at < $2', [teamId, until]);
};

export const deletePerson = (queries: Queries, { teamId, partyHash }: Key): Promise<number> =>
  queries.run(`delete from call_people where ${IS_KEY}`, [teamId, partyHash]);

/** Deletes what is known of numbers that no call is left of. Runs in the transaction that deletes the calls. */
export const deleteLonelyPersons = (
  tx: Transaction,
  numbers: readonly Pick<PersonRow, 'teamId' | 'partyHash'>[],
): Promise<number> =>
  numbers.length === 0
    ? Promise.resolve(0)
    : tx.runFrom(
        OF_HASH.toTable([...numbers]),
        `delete from call_people where (team_id, party_hash) in (select team_id, party_hash from rows)
          and not exists (select 1 from calls c where c.team_id = call_people.team_id
            and c.from_hash = call_people.party_hash)
          and not exists (select 1 from calls c where c.team_id = call_people.team_id
            and c.to_hash = call_people.party_hash)`,
      );

/** Deletes the names that came from a connection, a few at a time. Numbers that are due stay so. */
export const deletePersonsFrom = (queries: Queries, teamId: string, connectionId: string): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'call_people', key: 'team_id, party_hash', where: 'team_id = $1 and connection_id = $2' },
    [teamId, connectionId],
  );

export const deletePersonsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'call_people', key: 'team_id, party_hash', where: 'team_id = $1' }, [teamId], pace);
