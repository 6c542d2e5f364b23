import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, before, test } from 'node:test';
import type { Server } from '../../src/http/index.ts';
import { createOpenStreams } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { type RecordingStorage, StorageFailed } from '../../src/telephony/contract/recording-storage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { listenOnLoopback } from '../harness/raw-http.ts';
import { createRecordingsStage } from '../harness/recordings-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PER_PERSON = 6;
const PER_TEAM = 30;
const BYTES = 1_000;

/** Audio whose first byte is sent at once, and the rest when the test says so. */
const createSlowStorage = () => {
  const open = new Set<Readable>();
  let isAway = false;
  let mayOpen = Promise.resolve();
  const counts = { asked: 0, closed: 0 };
  const storage: RecordingStorage = {
    put: async () => undefined,
    async open() {
      counts.asked++;
      await mayOpen;
      if (isAway) throw new StorageFailed('It is away.');
      const audio = new Readable({ read: () => undefined });
      open.add(audio);
      audio.once('close', () => {
        open.delete(audio);
        counts.closed++;
      });
      audio.push('I');
      return audio;
    },
    remove: async () => undefined,
    forgetTeam: async () => undefined,
  };
  return {
    storage,
    open,
    setAway: (away: boolean) => {
      isAway = away;
    },
    counts,
    /** Until the returned function is called, nothing opens. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      mayOpen = promise;
      return resolve;
    },
    finish(audio: Readable): void {
      audio.push(Buffer.alloc(BYTES - 1));
      audio.push(null);
    },
  };
};

type Headers = { authorization: string };
type Download = { asked: ClientRequest; response: IncomingMessage };

onOneEngine('downloads of recordings that nobody reads', (engine) => {
  const slow = createSlowStorage();
  const stage = useStage(() => createRecordingsStage(engine, { storage: slow.storage }));
  let server: Server;
  let port: number;
  let ours: string;
  let theirs: string;
  let ann: Headers;
  let stranger: Headers;
  let begun: Download[] = [];

  const addArchived = async (teamId: string): Promise<string> => {
    const id = await stage.addRecording(await stage.addAccount(undefined, { teamId }), {}, teamId);
    await stage.database.run(
      `update recordings set state = 'archived', content_type = 'audio/mpeg', bytes = $3, sha256 = 'digest', sealed = 0,
        archived_at = created_at where team_id = $1 and id = $2`,
      [teamId, id, BYTES],
    );
    return id;
  };

  const addMember = async (name: string): Promise<Headers> => {
    const { id } = stage.team;
    const details = { email: `${name}@first.example`, name: null, role: 'member' as const };
    const user = await stage.database.transaction((tx) => addUser(stage, tx, id, details));
    return stage.headersOf({ id, user });
  };

  before(async () => {
    server = await stage.serve();
    port = await listenOnLoopback(server);
    [ours, theirs] = [await addArchived(stage.team.id), await addArchived(stage.other.id)];
    [ann, stranger] = [await stage.headersOf(stage.team), await stage.headersOf(stage.other)];
  });

  /** Returns the status and the headers, without reading the audio. */
  const begin = async (headers: Headers, { id = ours, method = 'GET', range = 'bytes=0-' } = {}) => {
    const path = `/api/recordings/${id}/audio`;
    const asked = request({ host: '127.0.0.1', port, path, method, agent: false, headers: { ...headers, range } });
    asked.on('error', () => undefined).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    begun.push({ asked, response });
    return { status: response.statusCode, headers: response.headers };
  };

  const beginMany = async (headers: Headers, count: number) => {
    const all = await Promise.all(Array.from({ length: count }, () => begin(headers)));
    const refused = all.filter(({ status }) => status === 429);
    assert.equal(all.filter(({ status }) => status === 206).length, count - refused.length);
    return refused;
  };

  /** Several downloads on one connection. Returns how to leave: the server knows afterward. */
  const pipeline = async (count: number): Promise<() => Promise<void>> => {
    const accepted = once(server.server, 'connection') as Promise<[Socket]>;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const head = `GET /api/recordings/${ours}/audio HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${ann.authorization}`;
    socket.write(`${head}\r\n\r\n`.repeat(count));
    const [served] = await accepted;
    return async () => {
      socket.destroy();
      // Not `once`, which would reject if the connection is reset.
      if (!served.closed) await new Promise((resolve) => served.on('error', () => undefined).once('close', resolve));
    };
  };

  const abandonAll = async (): Promise<void> => {
    for (const { asked } of begun) asked.destroy();
    begun = [];
    await waitUntil('nothing is open', () => slow.open.size === 0);
  };
  afterEach(abandonAll);

  test('are limited per person, and keep no one else from listening', async () => {
    const refused = await beginMany(ann, 3 * PER_PERSON);
    assert.equal(refused.length, 2 * PER_PERSON);
    for (const { headers } of refused) assert.equal(headers['retry-after'], '10');
    assert.equal(slow.open.size, PER_PERSON);
    assert.equal((await begin(ann, { method: 'HEAD' })).status, 200);
    assert.equal((await begin(ann, { range: `bytes=${BYTES}-` })).status, 416);
    assert.equal((await begin(await addMember('ben'))).status, 206);
    assert.equal((await begin(stranger, { id: theirs })).status, 206);
  });

  test('are limited per team, and keep no other team from listening', async () => {
    const people = Math.ceil(PER_TEAM / PER_PERSON);
    for (let count = 0; count < people; count++)
      assert.deepEqual(await beginMany(await addMember(`member${count}`), PER_PERSON), []);
    assert.equal((await beginMany(ann, 1)).length, 1);
    assert.equal(slow.open.size, PER_TEAM);
    assert.equal((await begin(stranger, { id: theirs })).status, 206);
  });

  test('make room when they are complete', async () => {
    await beginMany(ann, PER_PERSON);
    const [first] = slow.open;
    slow.finish(first ?? assert.fail());
    for (const { response } of begun) response.resume();
    await waitUntil('one is complete', () => slow.open.size === PER_PERSON - 1);
    assert.equal((await beginMany(ann, 2)).length, 1);
  });

  test('make room when the reader leaves', async () => {
    await beginMany(ann, PER_PERSON);
    await abandonAll();
    assert.equal((await beginMany(ann, PER_PERSON + 1)).length, 1);
  });

  test('make room when the reader leaves several on one connection', async () => {
    const leave = await pipeline(4);
    await waitUntil('four are open', () => slow.open.size === 4);
    await leave();
    await waitUntil('nothing is open', () => slow.open.size === 0);
    assert.equal((await beginMany(ann, PER_PERSON + 1)).length, 1);
  });

  test('make room when the reader has left before they open', async () => {
    const release = slow.hold();
    const { asked, closed } = slow.counts;
    const leave = await pipeline(4);
    await waitUntil('four are opening', () => slow.counts.asked === asked + 4);
    await leave();
    release();
    await waitUntil('four are closed', () => slow.counts.closed === closed + 4);
    assert.equal((await beginMany(ann, PER_PERSON + 1)).length, 1);
  });

  test('take no room if they open nothing', async () => {
    slow.setAway(true);
    for (let count = 0; count < PER_PERSON; count++) assert.equal((await begin(ann)).status, 503);
    slow.setAway(false);
    for (let count = 0; count < PER_PERSON; count++) {
      await begin(ann, { method: 'HEAD' });
      await begin(ann, { range: `bytes=${BYTES}-` });
    }
    assert.equal((await beginMany(ann, PER_PERSON + 1)).length, 1);
  });
});

test('streams of many teams have a limit in total, from the moment they start to open', async () => {
  const streams = createOpenStreams({ perUser: 2, perTeam: 2, inTotal: 3 }, () => new Error('too many'));
  const opened: Readable[] = [];
  const start = (teamId: string) =>
    streams.addOpening({ teamId, userId: 'ann' }, async () => {
      const stream = new Readable({ read: () => undefined });
      opened.push(stream);
      return stream;
    });
  const outcomes = await Promise.allSettled(['one', 'two', 'three', 'four'].map(start));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
  const [first = assert.fail()] = opened;
  first.destroy();
  await once(first, 'close');
  await start('four');
});
