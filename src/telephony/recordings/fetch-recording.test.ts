import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { createRecordingsStage, PASSWORD, type RecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { startTestInternet, type TestInternet } from '../../../test/harness/test-internet.ts';
import { sealedBytes } from '../../vault/index.ts';
import { removeAccount, takeChange } from '../accounts/account-store.ts';
import { getRecordingBytes } from '../budget/recording-bytes-store.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { openAudio, toArchived } from './open-audio.ts';
import { deleteRecordings } from './recording-store.ts';
import { handleRemoveRecording } from './remove-recording.job.ts';

const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(200_000, 7)]);
const MINUTE_MS = 60_000;

onEachEngine('fetching a recording', (engine) => {
  let internet: TestInternet;
  let stage: RecordingsStage;
  let asked: IncomingMessage[];

  type Settings = NonNullable<Parameters<typeof createRecordingsStage>[1]>;

  const begin = async (answer: RequestListener, settings: Settings = {}): Promise<void> => {
    asked = [];
    internet = await startTestInternet((request, response) => {
      asked.push(request);
      answer(request, response);
    });
    stage = await createRecordingsStage(engine, { outbound: internet.outbound, ...settings });
  };

  afterEach(async () => {
    assert.deepEqual(stage.incoming(), [], 'nothing is left behind');
    await stage.close();
    await internet.close();
  });

  const sendAudio: RequestListener = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO);

  const readBack = async (id: string): Promise<Buffer> => {
    const recording = toArchived(await stage.rowOf(id));
    return buffer(await openAudio(stage, recording, { start: 0, length: recording.bytes }));
  };

  test('archives the audio, and records where it came from and what it is', async () => {
    await begin(sendAudio);
    const id = await stage.addRecording(await stage.addAccount(), { mediaUrl: 'https://provider.test/r.mp3?x=1' });
    assert.equal(await stage.fetch(id), null);
    const row = await stage.rowOf(id);
    assert.deepEqual(
      [row.state, row.problem, row.mediaUrl, row.fetchedFrom, row.contentType, row.bytes, row.sealed, row.archivedAt],
      ['archived', null, null, 'provider.test', 'audio/mpeg', AUDIO.length, 0, stage.clock.now()],
    );
    assert.equal(row.sha256, createHash('sha256').update(AUDIO).digest('hex'));
    assert.ok((await readBack(id)).equals(AUDIO));
    const path = join(stage.data, 'recordings', recordingKey(row));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(asked[0]?.headers.authorization, `Bearer ${PASSWORD}`);
    assert.equal(asked[0]?.url, '/r.mp3?x=1');
  });

  test('seals the audio if the operator asks for it', async () => {
    await begin(sendAudio, { sealed: true });
    const id = await stage.addRecording(await stage.addAccount());
    assert.equal(await stage.fetch(id), null);
    const row = await stage.rowOf(id);
    assert.deepEqual([row.sealed, row.bytes], [1, AUDIO.length]);
    assert.equal(row.sha256, createHash('sha256').update(AUDIO).digest('hex'));
    const stored = readFileSync(join(stage.data, 'recordings', recordingKey(row)));
    assert.equal(stored.length, sealedBytes(AUDIO.length));
    assert.ok(!stored.includes(Buffer.alloc(32, 7)));
    assert.ok((await readBack(id)).equals(AUDIO));
  });

  test('does nothing if it is already archived, or unknown', async () => {
    await begin(sendAudio);
    const id = await stage.addRecording(await stage.addAccount());
    await stage.fetch(id);
    assert.equal(await stage.fetch(id), null);
    assert.equal(await stage.fetch(stage.newId()), null);
    assert.equal(asked.length, 1);
  });

  test('keeps nothing of a recording that was erased meanwhile', async () => {
    await begin(async (request, response) => {
      const id = /[^/]+$/.exec(request.url ?? '')?.[0] ?? '';
      await deleteRecordings(stage.database, [{ teamId: stage.team.id, id }]);
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO);
    });
    const accountId = await stage.addAccount();
    const id = await stage.addRecording(accountId);
    await stage.database.run('update recordings set media_url = null where id = $1', [id]);
    // The recording's id is in the URL, so that the server knows which one to erase.
    stage.providers[0] = {
      ...(stage.providers[0] as NonNullable<(typeof stage.providers)[0]>),
      mediaOf: () => ({ url: `https://provider.test/${id}`, headers: {}, hosts: ['provider.test'], redirectHosts: [] }),
    };
    assert.equal(await stage.fetch(id), null);
    const key = recordingKey({ teamId: stage.team.id, id });
    await assert.rejects(stage.storage.open(key, { start: 0, length: 1 }), { name: 'RecordingLost' });
  });

  test('leaves what another process has archived meanwhile, and counts it once', async () => {
    let id = '';
    await begin(async (request, response) => {
      if (asked.length === 1) await stage.fetch(id);
      sendAudio(request, response);
    });
    id = await stage.addRecording(await stage.addAccount());
    assert.equal(await stage.fetch(id), null);
    assert.equal(asked.length, 2);
    assert.equal((await stage.rowOf(id)).state, 'archived');
    assert.ok((await readBack(id)).equals(AUDIO));
    assert.equal(await getRecordingBytes(stage.database, stage.team.id), AUDIO.length);
  });

  /** Returns by how many minutes each attempt delays the next one. */
  const waitsOf = async (id: string): Promise<number[]> => {
    const waits: number[] = [];
    for (const afterMs of [0, 10, 20, 40, 600].map((minutes) => minutes * MINUTE_MS)) {
      stage.clock.advance(afterMs);
      assert.equal(await stage.fetch(id), null);
      waits.push((stage.enqueued.at(-1)?.delayMs ?? 0) / MINUTE_MS);
    }
    return waits;
  };

  test('says what an admin has to enter, looks for it every ten minutes, and gives up after thirty days', async () => {
    await begin(sendAudio);
    const accountId = await stage.addAccount({});
    const id = await stage.addRecording(accountId);
    assert.deepEqual(await waitsOf(id), [10, 10, 10, 10, 10]);
    assert.deepEqual(stage.enqueued[0]?.payload, { teamId: stage.team.id, recordingId: id });
    const waiting = await stage.rowOf(id);
    assert.equal(waiting.state, 'waiting');
    assert.equal(waiting.problem, 'To fetch the recording, the telephony account needs a password (api.password).');
    stage.clock.advance(30 * 24 * 60 * MINUTE_MS);
    assert.equal(await stage.fetch(id), null);
    assert.equal((await stage.rowOf(id)).state, 'failed');
    assert.equal(stage.enqueued.length, 5);
    assert.equal(asked.length, 0);
  });

  test('says that credentials are refused, and checks less and less often whether they still are', async () => {
    let status = 401;
    await begin((request, response) =>
      status === 200 ? sendAudio(request, response) : void response.writeHead(status).end(PASSWORD),
    );
    const id = await stage.addRecording(await stage.addAccount());
    for (status of [401, 403]) {
      assert.equal(await stage.fetch(id), null);
      const { state, problem } = await stage.rowOf(id);
      assert.deepEqual([state, problem], ['waiting', `provider.test rejected the account's credentials (${status}).`]);
    }
    assert.deepEqual(await waitsOf(id), [10, 10, 30, 70, 360]);
    status = 200;
    await stage.fetch(id);
    assert.deepEqual([(await stage.rowOf(id)).state, (await stage.rowOf(id)).problem], ['archived', null]);
  });

  test('retries what is not there yet until its attempts are used up', async () => {
    let status = 404;
    await begin((request, response) =>
      status === 200 ? sendAudio(request, response) : void response.writeHead(status).end('no'),
    );
    const accountId = await stage.addAccount();
    const id = await stage.addRecording(accountId);
    for (status of [404, 503, 429, 202, 302]) {
      const error = await stage.fetch(id);
      assert.match(error?.message ?? '', new RegExp(`^provider.test .*${status}`));
      assert.equal((await stage.rowOf(id)).problem, error?.message);
    }
    status = 200;
    assert.equal(await stage.fetch(id, stage.lastAttempt), null);
    assert.equal((await stage.rowOf(id)).state, 'archived');
    const never = await stage.addRecording(accountId);
    status = 404;
    assert.equal(await stage.fetch(never, stage.lastAttempt), null);
    assert.deepEqual(
      [(await stage.rowOf(never)).state, (await stage.rowOf(never)).problem],
      ['failed', "provider.test doesn't have the recording, or not yet (404)."],
    );
    assert.deepEqual(stage.enqueued, []);
  });

  test('gives up immediately if it is gone', async () => {
    await begin((_request, response) => void response.writeHead(410).end());
    const id = await stage.addRecording(await stage.addAccount());
    assert.equal(await stage.fetch(id), null);
    assert.deepEqual(
      [(await stage.rowOf(id)).state, (await stage.rowOf(id)).problem],
      ['failed', 'provider.test says the recording is gone (410).'],
    );
  });

  test('gives up if the account was removed', async () => {
    await begin(sendAudio);
    const accountId = await stage.addAccount();
    const id = await stage.addRecording(accountId);
    await stage.database.transaction(async (tx) =>
      removeAccount(tx, stage.team.id, accountId, await takeChange(tx), 1),
    );
    assert.equal(await stage.fetch(id), null);
    assert.deepEqual(
      [(await stage.rowOf(id)).state, (await stage.rowOf(id)).problem],
      ['failed', 'The telephony account was removed before the recording was fetched.'],
    );
    assert.equal(asked.length, 0);
  });

  test('hurries while a link is valid, and says so when it has expired', async () => {
    await begin((_request, response) => void response.writeHead(403).end());
    const mediaExpiresAt = stage.clock.now() + 10 * MINUTE_MS;
    const id = await stage.addRecording(await stage.addAccount(), { mediaExpiresAt });
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.equal(await stage.fetch(id, stage.lastAttempt), null);
      assert.equal(stage.enqueued.at(-1)?.delayMs, 10_000);
      stage.clock.advance(10_000);
    }
    assert.equal((await stage.rowOf(id)).state, 'waiting');
    stage.clock.advance(10 * MINUTE_MS);
    assert.equal(await stage.fetch(id), null);
    assert.deepEqual(
      [(await stage.rowOf(id)).state, (await stage.rowOf(id)).problem],
      ['failed', "The provider's link expired before the recording was fetched."],
    );
    assert.equal(asked.length, 3);
    assert.equal(stage.enqueued.length, 3);
  });

  test('has it removed at the provider once archived, if the account says so', async () => {
    let removal = 500;
    await begin((request, response) =>
      request.method === 'DELETE' ? void response.writeHead(removal).end() : sendAudio(request, response),
    );
    const id = await stage.addRecording(await stage.addAccount(undefined, { removesArchived: true }));
    const handle = handleRemoveRecording(stage);
    const remove = () => handle({ teamId: stage.team.id, recordingId: id }, { signal: new AbortController().signal });
    await remove();
    assert.equal(asked.length, 0, 'what is not archived here is not removed there');
    await stage.fetch(id);
    const payload = { teamId: stage.team.id, recordingId: id };
    assert.deepEqual(stage.enqueued, [{ name: 'remove-recording', payload, delayMs: 0 }]);
    await assert.rejects(remove(), /provider.test didn't delete the recording \(500\)/);
    assert.equal((await stage.rowOf(id)).removedAtProviderAt, null);
    removal = 404;
    await remove();
    const row = await stage.rowOf(id);
    assert.deepEqual([row.state, row.removedAtProviderAt], ['archived', stage.clock.now()]);
    assert.equal(asked.at(-1)?.url, `/recordings/${row.externalId}`);
    assert.equal(asked.at(-1)?.headers.authorization, `Bearer ${PASSWORD}`);
    const before = asked.length;
    await remove();
    assert.equal(asked.length, before, 'once is enough');
    const events = await stage.database.all<{ action: string; actor: string; target: string }>(
      "select action, actor, target from audit_events where action like 'recording%'",
    );
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [{ action: 'recording.remove_at_provider', actor: 'service', target: id }],
    );
  });

  test('may be pointed at a stand-in, only outside production', async () => {
    await begin(sendAudio, { production: false });
    const api = { password: PASSWORD, mediaOrigin: 'https://storage.test' };
    const id = await stage.addRecording(await stage.addAccount(api));
    assert.equal(await stage.fetch(id), null);
    assert.equal((await stage.rowOf(id)).fetchedFrom, 'storage.test');
    assert.equal(asked[0]?.headers.host, 'storage.test');
    const production = await createRecordingsStage(engine, { outbound: internet.outbound });
    const other = await production.addRecording(await production.addAccount(api));
    await production.fetch(other);
    assert.equal((await production.rowOf(other)).fetchedFrom, 'provider.test');
    await production.close();
  });

  test('stops with the process, and leaves the recording as it was', async () => {
    const controller = new AbortController();
    await begin((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(AUDIO);
      controller.abort(new Error('The process is stopping.'));
    });
    const id = await stage.addRecording(await stage.addAccount());
    assert.ok(await stage.fetch(id, stage.lastAttempt, controller.signal));
    assert.deepEqual([(await stage.rowOf(id)).state, (await stage.rowOf(id)).problem], ['waiting', null]);
  });
});
