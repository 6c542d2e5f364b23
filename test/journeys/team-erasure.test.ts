import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { REVOCATION_KEPT_MS } from '../../src/integrations/connections/prepare-revocation.ts';
import { defineJob } from '../../src/jobs/index.ts';
import { type Transaction, Type, type Value } from '../../src/platform/index.ts';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { onEachEngine } from '../harness/databases.ts';
import { type Column, readSchema, type Table } from '../harness/schema.ts';
import { useStage } from '../harness/use-stage.ts';

const OPERATOR = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}` };
const SCHEMA = readSchema();

/** What belongs to a team: the team itself, and whatever names it or refers to something of it. */
const findOwned = (): Table[] => {
  const owned = new Set(['teams']);
  for (const { name, columns } of SCHEMA)
    if (columns.some((column) => column.name === 'team_id' || owned.has(column.references ?? ''))) owned.add(name);
  return SCHEMA.filter(({ name }) => owned.has(name));
};
const OWNED = findOwned();
const REFERRED_TO = new Set(OWNED.flatMap(({ columns }) => columns.map(({ references }) => references)));

/** These belong to nobody. A table that is new here needs a step of the erasure, or a place in this list. */
const OF_NOBODY = [
  'audio_to_remove',
  'backups',
  'call_people_place',
  'clock_looks',
  'event_alert_log',
  'event_log',
  'event_log_turns',
  'jobs',
  'recurring_jobs',
  'report_runs',
  'sandbox_issued',
  'service_state',
  'telephony_changes',
  'used_tickets',
  'webhook_arrivals',
];

/** Made by the service itself, for every team. */
const MADE_WITH_THE_TEAM = ['teams', 'team_keys'];

/** What the tombstone consists of. */
const TOMBSTONE = ['event_teams', 'provider_credentials', 'revocations', 'team_keys', 'teams', 'users'];

/** What the audit log may keep, and a revocation that needs the team's own client. */
const PLAIN: Readonly<Record<string, string>> = { action: 'member.change', actor: 'user', client_of: 'team' };

/** Columns that name a row without a constraint. */
const NAMED: Readonly<Record<string, string>> = { team_id: 'teams', account_id: 'telephony_accounts' };

/** More than any step of the erasure takes at once. */
const countOf = (table: string): number => (table === 'deliveries' ? 501 : 201);

const waitForever = defineJob({ name: 'wait-forever', payload: Type.Object({ teamId: Type.String() }) });

test('every table either belongs to a team or is known to belong to nobody', () => {
  const others = SCHEMA.filter((table) => !OWNED.includes(table)).map(({ name }) => name);
  assert.deepEqual(others.sort(), OF_NOBODY);
});

test('whatever refers to a row that is erased is found through an index', () => {
  const missing = SCHEMA.flatMap(({ name, columns, indexed }) =>
    columns
      .filter((column) => column.references !== null && !indexed.has(column.name))
      .map((column) => `${name}.${column.name}`),
  );
  assert.deepEqual(missing, []);
});

onEachEngine('a team with something in every table', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  let counted = 0;

  const put = async (key: string): Promise<{ status: number; id: string }> => {
    const url = `/api/operator/teams/${key}`;
    const answer = await house.server.inject({
      method: 'PUT',
      url,
      headers: OPERATOR,
      payload: { name: `${key} Inc.` },
    });
    return { status: answer.statusCode, id: answer.json().id };
  };

  const makeValue = (column: Column, ids: ReadonlyMap<string, string>, canary: string): Value => {
    const { name, type, references, allowed } = column;
    const parent = references ?? NAMED[name];
    if (parent !== undefined) return ids.get(parent) ?? '';
    if (name in PLAIN) return PLAIN[name] ?? '';
    if (allowed) return allowed[0] ?? '';
    if (name === 'id') return randomUUID();
    // Past, so that nothing is due, leased or observed.
    if (type === 'bigint') return ++counted;
    // Also as JSON.
    return JSON.stringify(canary);
  };

  /** Rows in each table, with a value in every column. Returns what shows that a row is the team's. */
  const fill = async (key: string, countRows = (_table: string): number => 1) => {
    const { id } = await put(key);
    const canary = `canary of ${key}`;
    const ids = new Map([['teams', id]]);
    const insert = async (tx: Transaction, { name, columns }: Table, mark: string): Promise<void> => {
      const values = columns.map((column) => makeValue(column, ids, mark));
      const places = values.map((_, index) => `$${index + 1}`);
      const names = columns.map((column) => column.name);
      const text = `insert into ${name} (${names.join(', ')}) values (${places.join(', ')})`;
      await tx.run(mark === canary ? text : `${text} on conflict do nothing`, values);
      const at = names.indexOf('id');
      if (mark === canary && at >= 0 && name !== 'audit_events') ids.set(name, String(values[at]));
    };
    // What refers to nothing by a constraint may still name something.
    const isBound = ({ name, columns }: Table): boolean =>
      REFERRED_TO.has(name) || columns.some(({ references }) => references !== null);
    await house.app.database.transaction(async (tx) => {
      for (const table of [...OWNED.filter(isBound), ...OWNED.filter((other) => !isBound(other))]) {
        if (MADE_WITH_THE_TEAM.includes(table.name)) continue;
        await insert(tx, table, canary);
        for (let count = 1; count < countRows(table.name); count++) await insert(tx, table, `${canary} ${count}`);
      }
    });
    const recording = { teamId: id, id: ids.get('recordings') ?? '' };
    await archiveRecording(house.app, recording);
    await house.app.database.transaction((tx) =>
      house.app.jobs.enqueue(tx, waitForever, { teamId: id }, { delayMs: 1_000_000_000 }),
    );
    return { id, marks: [canary, ...ids.values()], audio: join(house.config.data, 'recordings', id, recording.id) };
  };

  type Filled = Awaited<ReturnType<typeof fill>>;

  /** The rows of every table that mention the team, as text. */
  const findRows = async ({ marks }: Filled): Promise<Map<string, string[]>> => {
    const found = new Map<string, string[]>();
    for (const { name: table } of SCHEMA) {
      const rows = (await house.app.database.all(`select * from ${table}`)).map((row) => JSON.stringify(row)).sort();
      const own = rows.filter((row) => marks.some((mark) => row.includes(mark)));
      if (own.length > 0) found.set(table, own);
    }
    return found;
  };

  const run = () => house.app.erasure.eraseDue({}, { signal: new AbortController().signal });

  test('is erased, first down to its tombstone and then completely, and another team notices nothing', async () => {
    const gone = await fill('gone');
    const stays = await fill('stays');
    const before = await findRows(stays);
    assert.deepEqual([...before.keys()].sort(), [...OWNED.map(({ name }) => name), 'jobs'].sort());
    assert.deepEqual([...(await findRows(gone)).keys()].sort(), [...before.keys()].sort());
    const actions = () =>
      house.app.database.all<{ action: string; at: number }>('select action, at from audit_events order by at, id');
    const recorded = await actions();

    clock.advance(1);
    const url = '/api/operator/teams/gone';
    const answer = await house.server.inject({ method: 'DELETE', url, headers: OPERATOR });
    assert.deepEqual([answer.statusCode, answer.json()], [202, { key: 'gone', state: 'erasing' }]);
    await run();
    clock.advance(20_000);
    await run();

    const tombstone = await findRows(gone);
    assert.deepEqual([...tombstone.keys()].filter((table) => table !== 'jobs').sort(), TOMBSTONE);
    const canary = gone.marks[0] ?? '';
    const [team = '', ...otherTeams] = tombstone.get('teams') ?? [];
    assert.deepEqual([otherTeams.length, team.includes('gone Inc.'), team.includes('"gone"')], [0, false, true]);
    const [user = '', ...otherUsers] = tombstone.get('users') ?? [];
    assert.deepEqual([otherUsers.length, user.includes(canary)], [0, false]);
    assert.equal(existsSync(gone.audio), false);
    assert.equal(existsSync(dirname(gone.audio)), false);

    clock.advance(REVOCATION_KEPT_MS - 20_001);
    await run();
    assert.deepEqual([...(await findRows(gone)).keys()].filter((table) => table !== 'jobs').sort(), TOMBSTONE);
    assert.equal((await put('gone')).status, 409);

    clock.advance(3_600_000);
    await run();
    const { events } = await house.app.events.followLog(null, { limit: 100 });
    assert.deepEqual(
      events.map(({ type, team: { id, key }, data }) => ({ type, id, key, data })),
      [{ type: 'team.erased', id: gone.id, key: 'gone', data: { erased: true } }],
    );
    assert.deepEqual([...(await findRows(gone)).keys()], ['events'], 'All that stays is that it was erased.');
    assert.ok(!(await findRows(gone)).get('events')?.join('').includes(canary));
    assert.deepEqual(await findRows(stays), before);
    assert.equal(existsSync(stays.audio), true);

    const [begun, ended] = (await actions()).slice(-2);
    assert.deepEqual([begun?.action, ended?.action], ['team.delete', 'team.erase']);
    assert.deepEqual((await actions()).slice(0, -2), recorded, 'The audit log keeps what happened and when.');
    const again = await put('gone');
    assert.equal(again.status, 201);
    assert.notEqual(again.id, gone.id);
  });

  if (engine === 'sqlite')
    test('is erased in one round, however much there is of it', async () => {
      const gone = await fill('large', countOf);
      const { database } = house.app;
      // All at the same moment, and before it is known which calls they are about.
      await database.run('update deliveries set received_at = 1, call_key = null where team_id = $1', [gone.id]);
      const countRows = async (): Promise<Map<string, number>> =>
        new Map([...(await findRows(gone))].map(([table, rows]) => [table, rows.length]));
      const before = await countRows();
      for (const table of ['calls', 'recordings', 'events', 'audit_events']) assert.ok((before.get(table) ?? 0) > 200);
      await house.server.inject({ method: 'DELETE', url: '/api/operator/teams/large', headers: OPERATOR });
      clock.advance(REVOCATION_KEPT_MS + 20_000);
      await run();
      await house.app.events.followLog(null, { limit: 1 });
      assert.deepEqual(await countRows(), new Map([['events', 1]]));
    });
});
