import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import type { Outbound } from '../../src/platform/index.ts';
import { fetchRecording, handleFetchRecording } from '../../src/telephony/recordings/fetch-recording.job.ts';
import { onEachEngine } from '../harness/databases.ts';
import { breakTransactions, followEvents } from '../harness/follow-events.ts';
import {
  newCallSid,
  newRecordingSid,
  openTelephonyStage,
  type Params,
  SERVICE_URL,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(1_000, 7)]);

/** A provider's media server that says what it's told to. */
const media = { status: 200 };
const outbound: Outbound = {
  request: () => Promise.reject(new Error('Nobody asks for that.')),
  open: async () => ({
    status: media.status,
    headers: { 'content-type': 'audio/mpeg' },
    body: Readable.from([AUDIO]),
  }),
};

onEachEngine('what happens to a recording', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { outbound }));

  const openTeam = async () => {
    media.status = 200;
    const made = await stage.newTeam();
    const log = await followEvents(stage.server, made.member.headers);
    const callSid = newCallSid();
    const recordingSid = newRecordingSid();
    await made.line.rings(callSid);
    /** What is reported about the recording, and then about nothing else. */
    const tell = async (status: string, more: Params = {}) => {
      await made.line.recorded(callSid, recordingSid, { RecordingStatus: status, ...more });
      await stage.app.telephony.settle();
    };
    const find = async () => {
      const sql = 'select id from recordings where team_id = $1 and external_id = $2';
      const row = await stage.app.database.get<{ id: string }>(sql, [made.team.id, recordingSid]);
      assert.ok(row);
      return row.id;
    };
    return {
      next: async () => (await log.next()).filter(({ type }) => type !== 'call.started'),
      tell,
      get: async () => {
        const id = await find();
        return {
          ...(await made.get(`/api/recordings/${id}`)).json().recording,
          url: `${SERVICE_URL}/api/recordings/${id}`,
        };
      },
      fetch: async (attempt = 1, app: App = stage.app): Promise<void> => {
        const handle = handleFetchRecording(app.telephony.context);
        const payload = { teamId: made.team.id, recordingId: await find() };
        await handle(payload, { attempt, signal: new AbortController().signal }).catch(() => undefined);
      },
    };
  };

  test('is recorded when its audio is archived, once', async () => {
    const { tell, fetch, next, get } = await openTeam();
    await tell('completed');
    assert.deepEqual(await next(), [], 'It is only waiting.');
    const other = await stage.openOther();
    await Promise.all([fetch(), fetch(1, other.app), fetch()]);
    await other.close();
    const [ready, ...none] = await next();
    assert.deepEqual([ready?.type, none], ['recording.ready', []]);
    assert.deepEqual(ready?.data, await get());
    assert.deepEqual([ready?.data['state'], ready?.data['bytes']], ['archived', AUDIO.length]);
    assert.ok(ready?.data['call'], 'It says which call it belongs to.');
    await tell('completed');
    await fetch();
    assert.deepEqual(await next(), []);
  });

  test('is recorded when fetching it has failed for good, and not before', async () => {
    const { tell, fetch, next, get } = await openTeam();
    await tell('completed');
    media.status = 500;
    await fetch();
    assert.deepEqual(await next(), [], 'It is tried again.');
    await fetch(fetchRecording.attempts);
    const [failed, ...none] = await next();
    assert.deepEqual([failed?.type, none], ['recording.failed', []]);
    assert.deepEqual(failed?.data, await get());
    assert.ok(failed?.data['problem']);
  });

  test('is recorded when the provider could not make it, and when it turns up after all', async () => {
    const { tell, fetch, next, get } = await openTeam();
    await tell('in-progress');
    assert.deepEqual(await next(), []);
    await tell('failed');
    const [failed, ...none] = await next();
    assert.deepEqual([failed?.type, none], ['recording.failed', []]);
    assert.deepEqual(failed?.data, await get());
    await tell('failed');
    assert.deepEqual(await next(), [], 'The same delivery came twice.');
    await tell('failed', { ErrorCode: '13227' });
    await tell('absent');
    assert.deepEqual(await next(), [], 'It had failed before.');
    assert.equal((await get()).state, 'failed');
    await tell('completed');
    await fetch();
    assert.deepEqual(
      (await next()).map(({ type }) => type),
      ['recording.ready'],
    );
  });

  test('leaves no event if there is no sound, or if the change is rolled back', async () => {
    const { tell, fetch, next } = await openTeam();
    await tell('absent');
    assert.deepEqual(await next(), []);
    await tell('completed');
    const { mend } = breakTransactions(stage.app);
    try {
      await fetch();
      media.status = 500;
      await fetch(fetchRecording.attempts);
    } finally {
      mend();
    }
    assert.deepEqual(await next(), []);
  });
});
