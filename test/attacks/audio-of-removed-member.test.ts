// Attack: a member downloads a recording slowly, or while its storage is slow, and is removed meanwhile. And somebody
// listens with a stolen token right after its owner, so that the audit log has no entry of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { before, beforeEach, test } from 'node:test';
import type { Server } from '../../src/http/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { removeUser } from '../../src/teams/records/user-store.ts';
import type { RecordingStorage } from '../../src/telephony/contract/recording-storage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { listenOnLoopback } from '../harness/raw-http.ts';
import { createRecordingsStage } from '../harness/recordings-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FIRST = 64 * 1024;
const BYTES = 2 * FIRST;

type Member = { user: { id: string }; headers: { authorization: string } };

/** Audio that opens, and goes on, when the test says so. */
const createHeldStorage = () => {
  const asked: ((audio: Readable) => void)[] = [];
  const storage: RecordingStorage = {
    put: async () => undefined,
    open: () => new Promise((resolve) => asked.push(resolve)),
    remove: async () => undefined,
    forgetTeam: async () => undefined,
  };
  return {
    storage,
    /** Waits until audio is asked for, and returns a function that opens it. */
    async takeAsked(): Promise<() => Readable> {
      await waitUntil('the audio is asked for', () => asked.length > 0);
      const resolve = asked.shift() ?? assert.fail();
      return () => {
        const audio = new Readable({ read: () => undefined });
        audio.push(Buffer.alloc(FIRST));
        resolve(audio);
        return audio;
      };
    },
  };
};

const finish = (audio: Readable): void => {
  audio.push(Buffer.alloc(BYTES - FIRST));
  audio.push(null);
};

onEachEngine('a member who listens to a recording', (engine) => {
  const held = createHeldStorage();
  const stage = useStage(() => createRecordingsStage(engine, { storage: held.storage }));
  let server: Server;
  let port: number;
  let id: string;
  let count = 0;

  before(async () => {
    server = await stage.serve();
    port = await listenOnLoopback(server);
  });

  beforeEach(async () => {
    id = await stage.addRecording(await stage.addAccount());
    await stage.database.run(
      `update recordings set state = 'archived', content_type = 'audio/mpeg', bytes = $3, sha256 = 'digest', sealed = 0,
        archived_at = created_at where team_id = $1 and id = $2`,
      [stage.team.id, id, BYTES],
    );
  });

  const addMember = async (): Promise<Member> => {
    const details = { email: `member${count++}@first.example`, name: null, role: 'member' as const };
    const user = await stage.database.transaction((tx) => addUser(stage, tx, stage.team.id, details));
    return { user, headers: await stage.headersOf({ id: stage.team.id, user }) };
  };

  /** Removes a member in another process: this one still knows the token for a moment. */
  const remove = ({ user }: Member) =>
    stage.database.transaction((tx) => removeUser(tx, stage.team.id, user.id, stage.clock.now()));

  const ask = (headers: Record<string, string>): Promise<IncomingMessage> => {
    const path = `/api/recordings/${id}/audio`;
    const asked = request({ host: '127.0.0.1', port, path, agent: false, headers });
    asked.on('error', () => undefined).end();
    return once(asked, 'response').then(([response]) => response);
  };

  /** Begins to download. Returns what is left, once the first half is here. */
  const begin = async ({ headers }: Member) => {
    const asking = ask(headers);
    const audio = (await held.takeAsked())();
    const response = await asking;
    let received = 0;
    response.on('data', (piece: Buffer) => {
      received += piece.length;
    });
    const outcome = new Promise<string>((resolve) =>
      response.once('end', () => resolve('complete')).on('error', () => resolve('broken off')),
    );
    await waitUntil('the first half is here', () => received === FIRST);
    return { audio, outcome, received: () => received };
  };

  const listens = async (): Promise<number> => {
    const sql = "select count(*) as n from audit_events where action = 'recording.listen' and target = $1";
    return (await stage.database.get<{ n: number }>(sql, [id]))?.n ?? 0;
  };

  test('gets no more of it once they were removed', async () => {
    const [kept, removed] = [await addMember(), await addMember()];
    const [theirs, ended] = [await begin(kept), await begin(removed)];
    await remove(removed);
    finish(ended.audio);
    assert.equal(await ended.outcome, 'broken off');
    assert.equal(ended.received(), FIRST);
    finish(theirs.audio);
    assert.equal(await theirs.outcome, 'complete');
    assert.equal(theirs.received(), BYTES);
  });

  test('gets nothing of it if they were removed while it was opened', async () => {
    const member = await addMember();
    const asking = ask(member.headers);
    const open = await held.takeAsked();
    await remove(member);
    const audio = open();
    const response = await asking;
    assert.equal(response.statusCode, 401);
    response.resume();
    await waitUntil('the audio is closed', () => audio.closed);
    assert.equal(await listens(), 0);
  });

  test('is in the audit log with each of their tokens, even for a part and right after the other', async () => {
    const member = await addMember();
    const stolen = await stage.headersOf({ id: stage.team.id, user: { ...stage.team.user, id: member.user.id } });
    for (const headers of [member.headers, { ...stolen, range: 'bytes=1-' }]) {
      const asking = ask(headers);
      const audio = (await held.takeAsked())();
      (await asking).destroy();
      await waitUntil('the audio is closed', () => audio.closed);
    }
    assert.equal(await listens(), 2);
  });
});
