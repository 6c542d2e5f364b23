import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { holdAnswer } from '../../../test/harness/hold-database.ts';
import { createRecordingsStage, type RecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import { listHeldAfter } from '../accounts/held-store.ts';
import { newIncomingFile } from '../audio/incoming-files.ts';
import { addPayloadBytes, readPayloadUse } from '../budget/payload-bytes-store.ts';
import { getRecordingBytes, takeRecordingBytes } from '../budget/recording-bytes-store.ts';
import { hashParty } from '../calls/call-parties.ts';
import { getCall } from '../calls/call-store.ts';
import { toParty } from '../contract/party.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { holdDelivery } from '../deliveries/hold-delivery.ts';
import { insertCalls, insertFacts } from '../processing/call-batch-store.ts';
import { DELIVERIES, deliveryValues } from '../processing/delivery-store.ts';
import { beginCall } from '../processing/put-calls.ts';
import { getRecording, markArchived } from '../recordings/recording-store.ts';
import { eraseCallsAgain } from './erase-again.ts';
import { eraseNumber } from './erase-number.ts';

const NUMBER = '+4930123456';

onEachEngine('erasing a number', (engine) => {
  let stage: RecordingsStage;

  beforeEach(async () => {
    stage = await createRecordingsStage(engine);
  });

  afterEach(() => stage.close());

  type Ends = { from: string; to: string };

  /** Adds a call with one delivery, one event, and one recording whose audio is stored. */
  const addCall = async (ends: Ends, teamId = stage.team.id) => {
    const { database, vault, newId, clock } = stage;
    const accountId = await stage.addAccount({}, { teamId });
    const call = { id: newId(), teamId, accountId, provider: 'stand-in', externalId: `CA-${newId()}` };
    await insertCalls(database, [beginCall(call.id, { ...call, receivedAt: clock.now() })], clock.now());
    const hashes = await Promise.all([ends.from, ends.to].map((end) => hashParty(vault, teamId, toParty(end))));
    await database.run('update calls set from_hash = $2, to_hash = $3 where id = $1', [call.id, ...hashes]);
    const fact = { key: 'k', kind: 'ended', occurredAt: 1, timeFrom: 'provider', legId: null } as const;
    await insertFacts(database, [{ callId: call.id, teamId, deliveryId: 'd', fact }]);
    const delivery = newId();
    const row = {
      id: delivery,
      teamId,
      accountId,
      provider: 'x',
      route: 'voice' as const,
      receivedAt: 1,
      secretId: 's',
      payload: 'sealed',
    };
    await database.insertRows(DELIVERIES, [deliveryValues(row)]);
    await database.run("update deliveries set state = 'processed', call_key = $2, told = 'x' where id = $1", [
      delivery,
      call.externalId,
    ]);
    const recording = await stage.addRecording(accountId, { callKey: call.externalId }, teamId);
    const key = recordingKey({ teamId, id: recording });
    const path = await newIncomingFile(stage.recordingsFolder);
    writeFileSync(path, 'audio');
    await stage.storage.put(key, { path, bytes: 5, sha256: '' });
    return { teamId, id: call.id, delivery, recording, audio: join(stage.data, 'recordings', key) };
  };

  type Made = Awaited<ReturnType<typeof addCall>>;

  const whatIsLeft = async ({ teamId, id, delivery, recording, audio }: Made) => {
    const { database } = stage;
    const kept = await database.get<{ payload: string | null; told: string | null }>(
      'select payload, told from deliveries where id = $1',
      [delivery],
    );
    const events = await database.all('select event_key from call_events where call_id = $1', [id]);
    return {
      call: (await getCall(database, teamId, id)) !== undefined,
      events: events.length,
      recording: (await getRecording(database, teamId, recording)) !== undefined,
      audio: existsSync(audio),
      payload: kept?.payload,
      told: kept?.told,
    };
  };

  const ALL = { call: true, events: 1, recording: true, audio: true, payload: 'sealed', told: 'x' };
  const NOTHING = { call: false, events: 0, recording: false, audio: false, payload: null, told: null };

  const audited = async (teamId: string) => {
    const rows = await stage.database.all<{ detail: string }>(
      "select detail from audit_events where action = 'telephony.number.erase' and team_id = $1 order by id",
      [teamId],
    );
    return rows.map(({ detail }) => JSON.parse(detail));
  };

  test('leaves nothing of its calls, whichever end it was on, and everything of others', async () => {
    const caller = await addCall({ from: NUMBER, to: '+15550001111' });
    const called = await addCall({ from: '+15550002222', to: NUMBER });
    const others = await addCall({ from: '+15550002222', to: '+15550001111' });
    const theirs = await addCall({ from: NUMBER, to: '+15550001111' }, stage.other.id);
    const erased = await eraseNumber(stage, stage.team.id, COMMAND_LINE, '+49 30 123456');
    assert.deepEqual(erased, { calls: 2, recordings: 2, held: 0 });
    assert.deepEqual(await whatIsLeft(caller), NOTHING);
    assert.deepEqual(await whatIsLeft(called), NOTHING);
    assert.deepEqual(await whatIsLeft(others), ALL);
    assert.deepEqual(await whatIsLeft(theirs), ALL);
    assert.deepEqual(await audited(stage.team.id), [{ endsIn: '56', calls: 2, recordings: 2, held: 0 }]);
    assert.deepEqual(await audited(stage.other.id), []);
  });

  test('makes room for other recordings', async () => {
    const { recording } = await addCall({ from: NUMBER, to: '+15550001111' });
    const { recording: notFetched } = await addCall({ from: NUMBER, to: '+15550001111' });
    const archived = { fetchedFrom: 'x', contentType: 'audio/mpeg', bytes: 5, sha256: 'x', sealed: false };
    await markArchived(stage.database, stage.team.id, recording, { ...archived, keepsAddress: false, now: 1 });
    assert.equal((await stage.rowOf(notFetched)).state, 'waiting');
    await takeRecordingBytes(stage.database, stage.team.id, 12, 100);
    await eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER);
    assert.equal(await getRecordingBytes(stage.database, stage.team.id), 7);
  });

  test('makes room once for payloads that two processes erase at the same moment', async () => {
    const { database, team } = stage;
    await addCall({ from: NUMBER, to: '+15550001111' });
    // The delivery came on day 0.
    await addPayloadBytes(database, [{ teamId: team.id, day: 0, bytes: 'sealed'.length + 20 }]);
    const first = holdAnswer(database, 'all', 'length(payload)');
    const erasing = eraseNumber(stage, team.id, COMMAND_LINE, NUMBER);
    await first.answered;
    await eraseNumber(stage, team.id, COMMAND_LINE, NUMBER);
    first.release();
    await erasing;
    assert.equal((await readPayloadUse(database, [team.id], 0)).get(team.id)?.total, 20);
  });

  test('continues through all pages, and through one call’s many recordings', async () => {
    const first = await addCall({ from: NUMBER, to: '+15550001111' });
    const { accountId, callKey } = await stage.rowOf(first.recording);
    for (let count = 0; count < 104; count++) await stage.addRecording(accountId, { callKey });
    for (let count = 0; count < 60; count++) await addCall({ from: NUMBER, to: '+15550001111' });
    const erased = await eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER);
    assert.deepEqual(erased, { calls: 61, recordings: 165, held: 0 });
    assert.equal((await stage.database.all('select id from recordings')).length, 0);
    const sum = (await audited(stage.team.id)).reduce((total, { calls }) => total + calls, 0);
    assert.equal(sum, 61);
  });

  test('handles a batch of a call at a time, however much was reported about it', async () => {
    const { database, team } = stage;
    const call = await addCall({ from: NUMBER, to: '+15550001111' });
    const facts = Array.from({ length: 450 }, (_, index) => ({
      callId: call.id,
      teamId: team.id,
      deliveryId: 'd',
      fact: { key: `k${index}`, kind: 'ringing', occurredAt: 1, timeFrom: 'provider', legId: null } as const,
    }));
    await insertFacts(database, facts);
    for (let index = 0; index < 450; index++)
      await database.run(
        `insert into deliveries (id, team_id, account_id, provider, route, received_at, secret_id, payload, state, call_key)
          select $1, team_id, account_id, provider, route, received_at, secret_id, payload, state, call_key
          from deliveries where id = $2`,
        [`copy ${index}`, call.delivery],
      );
    const changed: number[] = [];
    const run: typeof database.run = async (...statement) => {
      const rows = await database.run(...statement);
      changed.push(rows);
      return rows;
    };
    const inTransactions: number[] = [];
    const transaction: typeof database.transaction = (work) =>
      database.transaction((tx) =>
        work({
          ...tx,
          run: async (...statement) => {
            const rows = await tx.run(...statement);
            inTransactions.push(rows);
            return rows;
          },
        }),
      );
    const watched = { ...stage, database: { ...database, run, transaction } };
    await eraseNumber(watched, team.id, COMMAND_LINE, NUMBER);
    assert.deepEqual(await whatIsLeft(call), NOTHING);
    assert.equal((await database.all('select id from deliveries where payload is not null')).length, 0);
    assert.ok(Math.max(...changed) <= 200, `${changed}`);
    assert.ok(Math.max(...inTransactions) <= 1, `${inTransactions}`);
  });

  test('is audited even if there was nothing, without naming anyone in particular', async () => {
    assert.deepEqual(await eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER), {
      calls: 0,
      recordings: 0,
      held: 0,
    });
    assert.deepEqual(await audited(stage.team.id), [{ endsIn: '56', calls: 0, recordings: 0, held: 0 }]);
    for (const nobody of ['', 'anonymous'])
      await assert.rejects(eraseNumber(stage, stage.team.id, COMMAND_LINE, nobody), {
        code: 'telephony.number_invalid',
      });
  });

  const hold = async (teamId: string, id: string, body: string): Promise<void> => {
    const delivery = {
      route: 'voice',
      method: 'POST',
      target: '/voice',
      headers: {},
      body: Buffer.from(body),
    } as const;
    assert.equal(await holdDelivery(stage, { teamId, id }, delivery), true);
  };

  test('includes held deliveries that mention it, and nothing else that is held', async () => {
    const { database } = stage;
    const ours = await stage.addAccount();
    const theirs = await stage.addAccount({}, { teamId: stage.other.id });
    await hold(stage.team.id, ours, 'From=%2B4930123456&To=%2B15550001111');
    await hold(stage.team.id, ours, '{"from":"4930123456"}');
    await hold(stage.team.id, ours, 'From=%2B49301234567');
    await hold(stage.other.id, theirs, 'From=%2B4930123456');
    const erased = await eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER);
    assert.deepEqual(erased, { calls: 0, recordings: 0, held: 2 });
    assert.equal((await listHeldAfter(database, stage.team.id, '', 10)).length, 1);
    assert.equal((await listHeldAfter(database, stage.other.id, '', 10)).length, 1);
  });

  if (engine === 'sqlite')
    test('includes held deliveries that mention it, however many there are', async () => {
      const account = await stage.addAccount();
      for (let count = 0; count < 51; count++) await hold(stage.team.id, account, 'From=%2B4930123456');
      const { held } = await eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER);
      assert.equal(held, 51);
      assert.deepEqual(await listHeldAfter(stage.database, stage.team.id, '', 100), []);
    });

  if (engine === 'sqlite')
    test('is repeated for all calls of a backup from before it, and for all recordings of a call', async () => {
      const { database } = stage;
      const first = await addCall({ from: NUMBER, to: '+15550001111' });
      const { accountId, callKey } = await stage.rowOf(first.recording);
      for (let count = 0; count < 100; count++) await stage.addRecording(accountId, { callKey });
      const others = [];
      for (let count = 0; count < 50; count++) others.push(await addCall({ from: NUMBER, to: '+15550001111' }));
      const kept = await addCall({ from: NUMBER, to: '+15550001111' });
      const listNames = () =>
        database.all<{ id: string; teamId: string; accountId: string; callKey: string }>(
          'select id, team_id as "teamId", account_id as "accountId", external_id as "callKey" from calls',
        );
      const named = (await listNames()).filter(({ id }) => id !== kept.id);
      const ofAnother = (await listNames()).map((name) => ({ ...name, teamId: stage.other.id }));
      assert.equal(await eraseCallsAgain(stage, [...ofAnother, ...named]), 51);
      for (const call of [first, ...others]) assert.deepEqual(await whatIsLeft(call), NOTHING);
      assert.deepEqual(await whatIsLeft(kept), ALL);
      assert.equal((await database.all('select id from recordings')).length, 1);
      const erased = await database.all<{ callKey: string }>('select call_key as "callKey" from erased_calls');
      // Their recordings are refused, too, because some deliveries name nothing else.
      const isRecording = ({ callKey: key }: { callKey: string }): boolean => key.startsWith('recording ');
      assert.deepEqual([erased.length, erased.filter(isRecording).length], [202, 151]);
    });

  test('can be repeated if the storage failed in between', async () => {
    const call = await addCall({ from: NUMBER, to: '+15550001111' });
    const { remove } = stage.storage;
    stage.storage.remove = async () => {
      throw new Error('away');
    };
    await assert.rejects(eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER), /away/);
    assert.deepEqual(await whatIsLeft(call), ALL);
    stage.storage.remove = remove;
    assert.deepEqual(await eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER), {
      calls: 1,
      recordings: 1,
      held: 0,
    });
    assert.deepEqual(await whatIsLeft(call), NOTHING);
  });
});
