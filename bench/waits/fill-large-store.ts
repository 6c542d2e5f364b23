import { join } from 'node:path';
import type { Owner } from '../reports/add-owner.ts';
import { type Filling, fillPostgresql, fillSqlite } from '../reports/fill-store.ts';
import { type MadeCalls, UUID_OF_CALL } from '../reports/made-calls.ts';
import type { Settings } from '../service/place.ts';
import { openRawDatabase, type RawDatabase } from './raw-database.ts';
import { SIZE } from './size.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const PEOPLE = 2_000;
/** As long as a sealed payload. It's never decrypted, only erased. */
const PAYLOAD = 'sealed'.padEnd(1_000, '.');

/** A range of generated calls, which are numbered. Includes `from`, but not `to`. */
export type Span = { from: number; to: number };

const OLD = SIZE.calls - SIZE.recent - SIZE.erased - SIZE.deleted - SIZE.ofOthers;
const ERASED = OLD + SIZE.recent;
const DELETED = ERASED + SIZE.erased;

export const SPANS = {
  old: { from: 0, to: OLD },
  recent: { from: OLD, to: OLD + SIZE.recent },
  opened: { from: OLD + SIZE.recent - SIZE.opened, to: OLD + SIZE.recent },
  erased: { from: ERASED, to: DELETED },
  deleted: { from: DELETED, to: DELETED + SIZE.deleted },
  ofOthers: { from: DELETED + SIZE.deleted, to: SIZE.calls },
} as const satisfies Record<string, Span>;

/** The first call's ID in a span, and the ID after the last one, as `INSERT_CALLS` makes them. */
export const idsOf = ({ from, to }: Span): [string, string] => [
  `call-${1_000_000_000 + from}`,
  `call-${1_000_000_000 + to}`,
];

const makeCalls = ({ from, to }: Span, since: number, until: number, teams: number): MadeCalls => ({
  first: from,
  count: to - from,
  from: since,
  until,
  teams,
  people: PEOPLE,
  filler: '',
});

/** The calls to generate. The first team gets most of them, and is called the large team. */
const listCalls = (now: number): MadeCalls[] => {
  const [twoYears, twoWeeks] = [now - 728 * DAY_MS, now - 14 * DAY_MS];
  return [
    makeCalls(SPANS.old, twoYears, twoWeeks, 1),
    makeCalls(SPANS.recent, twoWeeks, now - HOUR_MS, 1),
    makeCalls(SPANS.erased, twoYears, twoWeeks, 1),
    makeCalls(SPANS.deleted, twoYears, twoWeeks, 1),
    makeCalls(SPANS.ofOthers, twoWeeks, now - HOUR_MS, SIZE.teamsWithCalls),
  ];
};

const INSERT_DELIVERIES = `insert into deliveries (id, team_id, account_id, provider, route, received_at, secret_id, payload,
    state, processed_at, call_key, told)
  select 'delivery-' || id, team_id, account_id, 'twilio', 'voice', started_at, 'secret', $3, 'processed', started_at,
    external_id, '{}' from calls where id >= $1 and id < $2`;
const INSERT_EVENTS = `insert into call_events (call_id, event_key, team_id, delivery_id, event, occurred_at)
  select id, 'ended', team_id, 'delivery-' || id, '{}', started_at from calls where id >= $1 and id < $2`;
const INSERT_AUDIT = `insert into audit_events (id, team_id, at, actor, action, target, detail)
  select ${UUID_OF_CALL}, team_id, started_at, 'service', 'token.hand_out', 'bench', '{}'
  from calls where id >= $1 and id < $2`;

/** Moves some calls and their recordings to the team that is deleted later. */
const moveCalls = async (raw: RawDatabase, { teamId, accountId }: Owner): Promise<void> => {
  const ids = idsOf(SPANS.deleted);
  await raw.run('update calls set team_id = $3, account_id = $4 where id >= $1 and id < $2', [
    ...ids,
    ...[teamId, accountId],
  ]);
  await raw.run('update recordings set team_id = $3, account_id = $4 where external_id >= $1 and external_id < $2', [
    ...ids.map((id) => `recording-${id}`),
    ...[teamId, accountId],
  ]);
};

/** Adds deliveries, events, and audit entries for the calls, and changes their owner or number for some tasks. */
const addBelongings = async (
  raw: RawDatabase,
  erasedHash: string,
  [large, deleted]: Filling['owners'],
): Promise<void> => {
  if (!large || !deleted) throw new Error('There are too few teams.');
  const { teamId } = large;
  await moveCalls(raw, deleted);
  await raw.run('delete from calls where team_id = $3 and id >= $1 and id < $2', [...idsOf(SPANS.ofOthers), teamId]);
  await raw.run('update calls set from_hash = $3 where id >= $1 and id < $2', [...idsOf(SPANS.erased), erasedHash]);
  const received = { from: 0, to: Math.min(OLD, SIZE.payloads) };
  for (const span of [received, SPANS.erased, SPANS.deleted]) {
    await raw.run(INSERT_DELIVERIES, [...idsOf(span), PAYLOAD]);
    await raw.run(INSERT_EVENTS, idsOf(span));
  }
  await raw.run(INSERT_AUDIT, idsOf({ from: 0, to: Math.min(OLD, SIZE.auditEvents) }));
  await raw.run('update recordings set archived_at = created_at');
};

/** Undoes what made filling PostgreSQL fast, so that its tables are durable and checked as in production. */
const makeSafe = async (raw: RawDatabase): Promise<void> => {
  await raw.run('alter table calls set logged');
  await raw.run(
    'alter table call_events add constraint call_events_call_id_fkey foreign key (call_id) references calls (id)',
  );
  await raw.run(
    'alter table waiting_callers add constraint waiting_callers_call_id_fkey foreign key (call_id) references calls (id) on delete cascade',
  );
  await raw.run('vacuum analyze');
};

/** Fills the database. Must be called while no service runs. */
export const fillLargeStore = async (
  settings: Settings,
  owners: Filling['owners'],
  erasedHash: string,
): Promise<void> => {
  const filling = { owners, calls: listCalls(Date.now()) };
  const { PATCHBAY_DATA, DATABASE_URL } = settings;
  if (DATABASE_URL === undefined) fillSqlite(join(PATCHBAY_DATA, 'patchbay.db'), filling);
  else await fillPostgresql(DATABASE_URL, filling);
  const raw = await openRawDatabase(settings);
  await addBelongings(raw, erasedHash, owners);
  if (DATABASE_URL !== undefined) await makeSafe(raw);
  await raw.close();
};
