import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, test } from 'node:test';
import { onOneEngine } from '../../../test/harness/databases.ts';
import { createRecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { startTestInternet } from '../../../test/harness/test-internet.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Server } from '../../http/index.ts';
import { toIso } from '../../platform/index.ts';
import { recordingKey, StorageFailed } from '../contract/recording-storage.ts';
import { insertCalls } from '../processing/call-batch-store.ts';
import { beginCall } from '../processing/put-calls.ts';
import { markRemoved } from './recording-store.ts';

const AUDIO = Buffer.concat([Buffer.from('ID3'), randomBytes(200_000)]);

for (const sealed of [false, true])
  onOneEngine(`playing a recording that is ${sealed ? '' : 'not '}sealed`, (engine) => {
    const internet = useStage(() =>
      startTestInternet((_request, response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO)),
    );
    const stage = useStage(() => createRecordingsStage(engine, { outbound: internet.outbound, sealed }));
    let server: Server;
    let headers: { authorization: string };
    let id: string;

    before(async () => {
      server = await stage.serve();
      headers = await stage.headersOf(stage.team);
    });
    beforeEach(async () => {
      id = await stage.addRecording(await stage.addAccount(), { startedAt: stage.clock.now() });
      await stage.fetch(id);
    });

    const get = (
      path = `/api/recordings/${id}/audio`,
      more: Record<string, string> = {},
      method: 'GET' | 'HEAD' = 'GET',
    ) => server.inject({ method, url: path, headers: { ...headers, ...more } });

    const listens = async (): Promise<number> => {
      const events = await stage.database.all(
        "select id from audit_events where action = 'recording.listen' and target = $1 and team_id = $2",
        [id, stage.team.id],
      );
      return events.length;
    };

    test('refuses strangers, and shows another team nothing', async () => {
      const others = await stage.headersOf(stage.other);
      for (const path of [`/api/recordings/${id}`, `/api/recordings/${id}/audio`]) {
        assert.equal((await server.inject({ url: path })).statusCode, 401);
        const [theirs, unknown] = [
          await server.inject({ url: path, headers: others }),
          await server.inject({ url: path.replace(id, stage.newId()), headers: others }),
        ];
        assert.deepEqual([theirs.statusCode, theirs.json().code], [404, 'telephony.recording_unknown']);
        assert.equal(theirs.json().detail, unknown.json().detail);
      }
      assert.equal(await listens(), 0);
    });

    test('shows what is known about it', async () => {
      const row = await stage.rowOf(id);
      const path = `/api/recordings/${id}`;
      const expected = {
        id,
        call: null,
        provider: 'stand-in',
        externalId: row.externalId,
        state: 'archived',
        problem: null,
        startedAt: toIso(stage.clock.now()),
        durationSeconds: 12.34,
        channels: 1,
        contentType: 'audio/mpeg',
        bytes: AUDIO.length,
        sha256: row.sha256,
        fetchedFrom: 'provider.test',
        archivedAt: toIso(stage.clock.now()),
        removedAt: null,
        removedAtProviderAt: null,
        demo: false,
        source: 'DialVerb',
        transcript: { state: 'none', text: null, language: null, source: null, at: null },
      };
      assert.deepEqual((await get(path)).json(), { recording: expected });
      const call = stage.newId();
      const { accountId, provider } = row;
      const receivedAt = stage.clock.now();
      const begun = beginCall(call, { teamId: stage.team.id, accountId, provider, externalId: 'CA1', receivedAt });
      await insertCalls(stage.database, [begun], receivedAt);
      assert.deepEqual((await get(path)).json(), { recording: { ...expected, call } });
    });

    test('sends the audio as it was fetched', async () => {
      const answer = await get();
      assert.equal(answer.statusCode, 200);
      assert.ok(answer.rawPayload.equals(AUDIO));
      const { sha256 } = await stage.rowOf(id);
      const { headers: sent } = answer;
      assert.deepEqual(
        [sent['content-type'], sent['content-length'], sent['accept-ranges'], sent.etag, sent['content-disposition']],
        ['audio/mpeg', `${AUDIO.length}`, 'bytes', `"${sha256}"`, `inline; filename="recording-${id}.mp3"`],
      );
      assert.deepEqual([sent['cache-control'], sent['x-content-type-options']], ['no-store', 'nosniff']);
    });

    test('sends a part as a part', async () => {
      for (const [range, start, end] of [
        ['bytes=0-99', 0, 99],
        ['bytes=70000-', 70_000, AUDIO.length - 1],
        ['bytes=65535-65536', 65_535, 65_536],
        ['bytes=-500', AUDIO.length - 500, AUDIO.length - 1],
        ['bytes=100-9999999', 100, AUDIO.length - 1],
      ] as const) {
        const answer = await get(undefined, { range });
        assert.equal(answer.statusCode, 206, range);
        assert.equal(answer.headers['content-range'], `bytes ${start}-${end}/${AUDIO.length}`);
        assert.equal(answer.headers['content-length'], `${end - start + 1}`);
        assert.ok(answer.rawPayload.equals(AUDIO.subarray(start, end + 1)), range);
      }
    });

    test('refuses a part that does not exist, with the total size', async () => {
      const answer = await get(undefined, { range: `bytes=${AUDIO.length}-` });
      assert.deepEqual([answer.statusCode, answer.json().code], [416, 'telephony.range_outside']);
      assert.equal(answer.headers['content-range'], `bytes */${AUDIO.length}`);
      assert.match(`${answer.headers['content-type']}`, /^application\/problem\+json/);
    });

    test('sends the whole for a range that cannot be followed, or is of another content', async () => {
      const { sha256 } = await stage.rowOf(id);
      for (const more of [
        { range: 'bytes=0-1,5-6' },
        { range: 'lines=1-2' },
        { range: 'bytes=5-1' },
        { range: 'bytes=0-9', 'if-range': '"another"' },
        { range: 'bytes=0-9', 'if-range': 'Sun, 15 Nov 2026 12:00:00 GMT' },
      ]) {
        const answer = await get(undefined, more);
        assert.deepEqual([answer.statusCode, answer.rawPayload.length], [200, AUDIO.length], JSON.stringify(more));
      }
      const part = await get(undefined, { range: 'bytes=0-9', 'if-range': `"${sha256}"` });
      assert.deepEqual([part.statusCode, part.rawPayload.length], [206, 10]);
    });

    test('is audited once, however often the player seeks', async () => {
      await get(undefined, { range: 'bytes=0-' });
      for (const range of ['bytes=1-5', 'bytes=1000-', 'bytes=-10']) await get(undefined, { range });
      assert.equal(await listens(), 1);
      await get();
      assert.equal(await listens(), 2);
      const event = await stage.database.get<{ actor: string; actor_id: string }>(
        "select actor, actor_id from audit_events where action = 'recording.listen' limit 1",
      );
      assert.deepEqual({ ...event }, { actor: 'user', actor_id: stage.team.user.id });
      const told = await stage.database.get<{ detail: string }>(
        "select detail from audit_events where action = 'recording.listen' and target = $1 limit 1",
        [id],
      );
      const { recordedAt } = JSON.parse(told?.detail ?? '{}');
      assert.equal(recordedAt, new Date(stage.clock.now()).toISOString(), 'It says which recording it was.');
    });

    test('is audited even if someone has just listened to another one, and starts in the middle', async () => {
      const another = await stage.addRecording(await stage.addAccount());
      await stage.fetch(another);
      await get(`/api/recordings/${another}/audio`);
      await get(undefined, { range: 'bytes=1000-' });
      assert.equal(await listens(), 1);
    });

    test('answers HEAD with what there is, which is not a listen', async () => {
      const answer = await get(undefined, { range: 'bytes=0-9' }, 'HEAD');
      assert.deepEqual(
        [
          answer.statusCode,
          answer.rawPayload.length,
          answer.headers['content-length'],
          answer.headers['accept-ranges'],
        ],
        [200, 0, `${AUDIO.length}`, 'bytes'],
      );
      assert.equal(await listens(), 0);
    });

    test('says if it is not archived, or no longer', async () => {
      const waiting = await stage.addRecording(await stage.addAccount());
      for (const one of [waiting, id]) {
        if (one === id) await markRemoved(stage.database, stage.team.id, id, stage.clock.now());
        const answer = await get(`/api/recordings/${one}/audio`, { range: 'bytes=0-9' });
        assert.deepEqual([answer.statusCode, answer.json().code], [409, 'telephony.recording_not_archived']);
      }
      assert.equal((await get(`/api/recordings/${id}`)).json().recording.state, 'removed');
      assert.equal(await listens(), 0);
    });

    test('does not blame the caller if the storage is down, and counts no listen', async (context) => {
      context.mock.method(stage.storage, 'open', async () => {
        throw new StorageFailed("The bucket didn't return the recording (503).");
      });
      const answer = await get();
      assert.deepEqual([answer.statusCode, answer.json().code], [503, 'telephony.storage_away']);
      assert.ok(answer.headers['retry-after']);
      assert.equal(await listens(), 0);
    });

    test('says that the audio is missing if another process stored it elsewhere', async () => {
      rmSync(join(stage.data, 'recordings', recordingKey(await stage.rowOf(id))));
      const answer = await get();
      assert.deepEqual([answer.statusCode, answer.json().code], [404, 'telephony.audio_missing']);
      assert.equal(await listens(), 0);
    });

    test('never takes audio that was changed on disk for the recording, if it is sealed', async () => {
      if (!sealed) return;
      const path = join(stage.data, 'recordings', recordingKey(await stage.rowOf(id)));
      writeFileSync(path, Buffer.alloc(AUDIO.length + 1_000, 1));
      const answer = await get();
      assert.equal(answer.statusCode, 500);
      assert.ok(!answer.rawPayload.includes(Buffer.alloc(16, 1)));
    });
  });
