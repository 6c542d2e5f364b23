import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { createRecordingsStage, type RecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { insertHeld } from '../accounts/held-store.ts';
import { newIncomingFile } from '../audio/incoming-files.ts';
import { addPayloadBytes, readPayloadUse } from '../budget/payload-bytes-store.ts';
import { dayOf } from '../budget/payload-counts.ts';
import { getRecordingBytes, takeRecordingBytes } from '../budget/recording-bytes-store.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { DELIVERIES, deliveryValues } from '../processing/delivery-store.ts';
import { getRecording, markArchived } from '../recordings/recording-store.ts';
import { handlePruneTelephony } from './prune-telephony.job.ts';

const DAY_MS = 24 * 3_600_000;

onEachEngine('pruning', (engine) => {
  let stage: RecordingsStage;

  beforeEach(async () => {
    stage = await createRecordingsStage(engine);
  });

  afterEach(() => stage.close());

  const prune = () => handlePruneTelephony(stage)({}, { signal: new AbortController().signal });

  const keepFor = (teamId: string, recordingDays: number | null, payloadDays = 30) =>
    stage.database.run('update teams set recording_days = $2, payload_days = $3 where id = $1', [
      teamId,
      recordingDays,
      payloadDays,
    ]);

  const pathOf = (teamId: string, id: string): string => join(stage.data, 'recordings', recordingKey({ teamId, id }));

  const addArchived = async (teamId: string, accountId: string, at: number): Promise<string> => {
    const id = await stage.addRecording(accountId, {}, teamId);
    const path = await newIncomingFile(stage.recordingsFolder);
    writeFileSync(path, 'audio');
    await stage.storage.put(recordingKey({ teamId, id }), { path, bytes: 5, sha256: '' });
    const archived = { fetchedFrom: 'provider.test', contentType: 'audio/mpeg', bytes: 5, sha256: 'x', sealed: false };
    await markArchived(stage.database, teamId, id, { ...archived, keepsAddress: false, now: at });
    return id;
  };

  const stateOf = async (teamId: string, id: string) => (await getRecording(stage.database, teamId, id))?.state;

  test('removes recordings older than the team keeps them, and no others', async () => {
    const { team, other, clock } = stage;
    await keepFor(team.id, 10);
    await keepFor(other.id, null);
    const [ours, theirs] = [await stage.addAccount(), await stage.addAccount({}, { teamId: other.id })];
    const now = clock.now();
    const old = await addArchived(team.id, ours, now - 10 * DAY_MS - 1);
    const young = await addArchived(team.id, ours, now - 10 * DAY_MS);
    const ofOthers = await addArchived(other.id, theirs, now - 1_000 * DAY_MS);
    await prune();
    assert.deepEqual(
      [await stateOf(team.id, old), await stateOf(team.id, young), await stateOf(other.id, ofOthers)],
      ['removed', 'archived', 'archived'],
    );
    assert.deepEqual([pathOf(team.id, old), pathOf(team.id, young), pathOf(other.id, ofOthers)].map(existsSync), [
      false,
      true,
      true,
    ]);
    assert.equal((await stage.rowOf(old)).removedAt, now);
    const events = await stage.database.all<{ team_id: string; actor: string; target: string; detail: string }>(
      "select team_id, actor, target, detail from audit_events where action = 'recording.remove'",
    );
    const detail = JSON.stringify({ reason: 'retention', days: 10 });
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [{ team_id: team.id, actor: 'service', target: old, detail }],
    );
    await prune();
    assert.equal((await stage.database.all("select id from audit_events where action = 'recording.remove'")).length, 1);
  });

  test('continues through all pages', async () => {
    const accountId = await stage.addAccount();
    await keepFor(stage.team.id, 1);
    for (let count = 0; count < 205; count++) await addArchived(stage.team.id, accountId, 1);
    await prune();
    const left = await stage.database.all("select id from recordings where state = 'archived'");
    assert.equal(left.length, 0);
  });

  if (engine === 'sqlite')
    test('reaches every team, however many there are', async () => {
      const { database, team, clock } = stage;
      await keepFor(team.id, 1);
      const old = await addArchived(team.id, await stage.addAccount(), clock.now() - 2 * DAY_MS);
      await database.run(
        `insert into teams (id, name, time_zone, payload_days, created_at)
          with recursive n (i) as (select 1 union all select i + 1 from n where i < 200)
          select '0-' || i, 'before', 'UTC', 30, 0 from n`,
      );
      await prune();
      assert.equal(await stateOf(team.id, old), 'removed');
    });

  if (engine === 'sqlite')
    test('leaves nothing for the next run, however much is past its time', async () => {
      const { database, team } = stage;
      await keepFor(team.id, null, 7);
      const accountId = await stage.addAccount();
      const insert = (into: string, values: string, given: readonly string[] = []) =>
        database.run(
          `insert into ${into} with recursive n (i) as (select 1 union all select i + 1 from n where i < 201)
            select ${values} from n`,
          given,
        );
      const ofAccount = [team.id, accountId];
      const deliveries =
        'deliveries (team_id, account_id, id, provider, route, received_at, secret_id, state, payload)';
      const old = "'x', 'voice', 1, 's', 'processed'";
      await insert('audio_to_remove (object_key, since)', "$1 || printf('/00000000-0000-4000-8000-%012d', i), 1", [
        team.id,
      ]);
      await insert('erased_calls (team_id, account_id, call_key, erased_at)', "$1, $2, 'call ' || i, 1", ofAccount);
      await insert(deliveries, `$1, $2, 'old ' || i, ${old}, 'sealed'`, ofAccount);
      // Ids as they were before November 2026: each is a digest.
      await insert(deliveries, `$1, $2, printf('%043d', i), ${old}, null`, ofAccount);
      await prune();
      const count = async (what: string) => (await database.all(`select 1 as one from ${what}`)).length;
      assert.equal(await count('deliveries'), 402);
      for (const left of [
        'audio_to_remove',
        'erased_calls',
        'deliveries where payload is not null',
        'deliveries where length(id) = 43',
      ])
        assert.equal(await count(left), 0, left);
    });

  test('keeps a recording archived as long as its audio could not be removed, and removes the others', async () => {
    const accountId = await stage.addAccount();
    await keepFor(stage.team.id, 1);
    const [stuck, free] = [
      await addArchived(stage.team.id, accountId, 1),
      await addArchived(stage.team.id, accountId, 2),
    ];
    const { remove } = stage.storage;
    stage.storage.remove = async (key) => {
      if (key.endsWith(stuck)) throw new Error('not now');
      await remove(key);
    };
    await prune();
    assert.deepEqual(
      [await stateOf(stage.team.id, stuck), await stateOf(stage.team.id, free)],
      ['archived', 'removed'],
    );
    stage.storage.remove = remove;
    await prune();
    assert.equal(await stateOf(stage.team.id, stuck), 'removed');
  });

  test('erases payloads once they are old enough, unless they are still to be processed', async () => {
    const { database, team, clock } = stage;
    await keepFor(team.id, null, 7);
    const accountId = await stage.addAccount();
    const now = clock.now();
    const add = async (receivedAt: number, state: string): Promise<string> => {
      const id = stage.newId();
      const row = {
        id,
        teamId: team.id,
        accountId,
        provider: 'x',
        route: 'voice' as const,
        receivedAt,
        secretId: 's',
        payload: 'sealed',
      };
      await database.insertRows(DELIVERIES, [deliveryValues(row)]);
      await database.run('update deliveries set state = $2 where id = $1', [id, state]);
      return id;
    };
    const old = await add(now - 7 * DAY_MS - 1, 'processed');
    const young = await add(now - 7 * DAY_MS + 1, 'processed');
    const waiting = await add(now - 70 * DAY_MS, 'received');
    await prune();
    const payloadOf = async (id: string) =>
      (await database.get<{ payload: string | null }>('select payload from deliveries where id = $1', [id]))?.payload;
    assert.deepEqual(
      [await payloadOf(old), await payloadOf(young), await payloadOf(waiting)],
      [null, 'sealed', 'sealed'],
    );
  });

  test('makes room: what is erased and removed no longer counts', async () => {
    const { database, team, clock } = stage;
    await keepFor(team.id, 10, 7);
    const now = clock.now();
    await addPayloadBytes(database, [
      { teamId: team.id, day: dayOf(now) - 8, bytes: 10 },
      { teamId: team.id, day: dayOf(now) - 7, bytes: 20 },
      { teamId: team.id, day: dayOf(now), bytes: 30 },
    ]);
    const accountId = await stage.addAccount();
    await addArchived(team.id, accountId, now - 10 * DAY_MS - 1);
    await addArchived(team.id, accountId, now);
    await takeRecordingBytes(database, team.id, 10, 100);
    await prune();
    const used = await readPayloadUse(database, [team.id], dayOf(now));
    assert.deepEqual(used.get(team.id), { total: 50, today: 30 });
    assert.equal(await getRecordingBytes(database, team.id), 5);
  });

  test('makes room once for a recording that two processes remove at the same moment', async () => {
    const { database, team, clock } = stage;
    await keepFor(team.id, 10);
    const accountId = await stage.addAccount();
    const old = await addArchived(team.id, accountId, clock.now() - 10 * DAY_MS - 1);
    await addArchived(team.id, accountId, clock.now());
    await takeRecordingBytes(database, team.id, 10, 100);
    const { remove } = stage.storage;
    stage.storage.remove = async (key) => {
      stage.storage.remove = remove;
      await prune();
      await remove(key);
    };
    await prune();
    assert.equal(await stateOf(team.id, old), 'removed');
    assert.equal(await getRecordingBytes(database, team.id), 5);
    const audited = await database.all("select id from audit_events where action = 'recording.remove'");
    assert.equal(audited.length, 1);
  });

  test('drops deliveries held for seven days, and files that never completed', async () => {
    const { database, team, clock, data } = stage;
    const accountId = await stage.addAccount();
    const now = clock.now();
    for (const receivedAt of [now - 7 * DAY_MS - 1, now - 7 * DAY_MS + 1])
      await insertHeld(database, { id: stage.newId(), teamId: team.id, accountId, receivedAt, bytes: 1, content: 'x' });
    const [old, fresh] = [
      await newIncomingFile(join(data, 'recordings')),
      await newIncomingFile(join(data, 'recordings')),
    ];
    for (const path of [old, fresh]) writeFileSync(path, 'half');
    utimesSync(old, now / 1_000 - 3_601, now / 1_000 - 3_601);
    utimesSync(fresh, now / 1_000, now / 1_000);
    await prune();
    assert.equal((await database.all('select id from held_deliveries')).length, 1);
    assert.deepEqual([existsSync(old), existsSync(fresh)], [false, true]);
  });
});
