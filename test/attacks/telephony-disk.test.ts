import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { getRecordingBytes } from '../../src/telephony/budget/recording-bytes-store.ts';
import { SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createRecordingsStage } from '../harness/recordings-stage.ts';
import { openSession } from '../harness/sessions.ts';
import { createPhoneLine, newCallSid, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { startTestInternet } from '../harness/test-internet.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** More than ten of the large ones: a team that is full has less room than a tenth, whenever it is looked at. */
const MOST_MIB = 3;
const MANY = 40;
/** Stored, it is about a quarter of a MiB. */
const BULK = { Note: 'x'.repeat(200_000) };
/** No delivery reduced to its facts is larger. */
const SMALL_BYTES = 4_000;

onOneEngine('a team that signs large deliveries', (engine) => {
  const env = { PATCHBAY_MAX_PAYLOAD_MIB_PER_DAY: String(MOST_MIB) };
  const stage = useStage(() => openTelephonyStage(engine, { env }));
  const greedy = prepare(() => stage.newTeam());

  const sizesOf = async (teamId: string): Promise<number[]> => {
    const rows = await stage.app.database.all<{ size: number }>(
      'select length(payload) as size from deliveries where team_id = $1',
      [teamId],
    );
    return rows.map(({ size }) => Number(size));
  };
  const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
  const isSmall = (size: number): boolean => size < SMALL_BYTES;

  /** All at once, each about its own call. */
  const flood = async ({ line }: Pick<typeof greedy, 'line'>, count: number): Promise<string[]> => {
    const calls = Array.from({ length: count }, newCallSid);
    const replies = await Promise.all(calls.map((sid) => line.status(sid, 'busy', BULK)));
    assert.deepEqual([...new Set(replies.map(({ statusCode }) => statusCode))], [204], 'None is refused.');
    await stage.app.telephony.settle();
    return calls;
  };

  const storageOf = async ({ get, admin }: typeof greedy) =>
    (await get('/api/telephony/storage', admin.headers)).json();

  const countFullTeams = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` };
    const { body } = await stage.server.inject({ url: '/metrics', headers });
    return Number(/^patchbay_full_teams\{stored="payloads"\} (\d+)$/m.exec(body)?.[1]);
  };

  let sids: string[];
  before(async () => {
    sids = await flood(greedy, MANY);
  });

  test('fills no more of the disk than it may, and all of its calls are there', async () => {
    const sizes = await sizesOf(greedy.team.id);
    assert.equal(sizes.length, MANY);
    assert.ok(sumOf(sizes) < MOST_MIB * MIB + MANY * SMALL_BYTES, `${sumOf(sizes)} bytes are stored.`);
    assert.ok(
      sizes.some((size) => !isSmall(size)),
      'As long as there is room, they are stored as received.',
    );
    const calls: { externalId: string; outcome: string; from: string }[] = await greedy.calls('?limit=100');
    assert.deepEqual(calls.map(({ externalId }) => externalId).sort(), sids.sort());
    assert.deepEqual([...new Set(calls.map(({ outcome, from }) => `${outcome} ${from}`))], ['busy +15551230001']);
  });

  test('still has its recordings fetched', async () => {
    const recording = newRecordingSid();
    await greedy.line.recorded(sids[0] ?? '', recording, BULK);
    await stage.app.telephony.settle();
    const row = await stage.app.database.get<{ state: string }>(
      'select state from recordings where external_id = $1 and team_id = $2',
      [recording, greedy.team.id],
    );
    assert.equal(row?.state, 'waiting');
  });

  test('takes nothing away from another team', async () => {
    const modest = await stage.newTeam();
    await flood(modest, 1);
    assert.deepEqual((await sizesOf(modest.team.id)).map(isSmall), [false]);
    assert.equal((await storageOf(modest)).payloads.isFull, false);
  });

  test('is noticed by its admins and by the operator, once', async () => {
    const sum = sumOf(await sizesOf(greedy.team.id));
    const { payloads } = await storageOf(greedy);
    assert.deepEqual(payloads, {
      bytes: sum,
      mostBytes: 65_536 * MIB,
      todayBytes: sum,
      mostTodayBytes: MOST_MIB * MIB,
      isFull: true,
    });
    assert.equal((await greedy.get('/api/telephony/storage')).statusCode, 403, 'It is nothing for members.');
    const { headers } = await openSession(stage, greedy.admin.user);
    const { body } = await stage.server.inject({ url: '/settings/telephony', headers });
    assert.match(body, /Original requests have reached their limit/);
    const home = await stage.server.inject({ url: '/', headers });
    assert.match(home.body, /reached its limit for original requests/);
    const warnings = stage.lines.filter(({ message }) => message.includes('limit for payloads'));
    assert.deepEqual(
      warnings.map(({ level, fields }) => ({ level, fields })),
      [{ level: 'warn', fields: { team: greedy.team.id } }],
    );
    assert.equal(await countFullTeams(), 1);
  });

  test('is counted once for a delivery that comes again', async () => {
    const modest = await stage.newTeam();
    const [sid = ''] = await flood(modest, 1);
    const before = (await storageOf(modest)).payloads.bytes;
    for (let count = 0; count < 3; count++) assert.equal((await modest.line.status(sid, 'busy', BULK)).statusCode, 204);
    await stage.app.telephony.settle();
    assert.equal((await sizesOf(modest.team.id)).length, 1);
    assert.equal((await storageOf(modest)).payloads.bytes, before);
  });

  test('does not begin again with a new process', async () => {
    const other = await stage.openOther();
    try {
      const line = createPhoneLine(other.server, greedy.account);
      await line.rings(newCallSid());
      await other.app.telephony.settle();
      const stored = sumOf(await sizesOf(greedy.team.id));
      for (let count = 0; count < 10; count++) await line.status(newCallSid(), 'busy', BULK);
      const added = sumOf(await sizesOf(greedy.team.id)) - stored;
      assert.ok(added < MIB / 4 + 10 * SMALL_BYTES, `${added} bytes more are stored.`);
    } finally {
      await other.close();
    }
  });

  test('has room again the next day', async () => {
    const large = (await sizesOf(greedy.team.id)).filter((size) => !isSmall(size)).length;
    stage.clock.advance(DAY_MS);
    await flood(greedy, 1);
    assert.equal((await sizesOf(greedy.team.id)).filter((size) => !isSmall(size)).length, large + 1);
    assert.equal(await countFullTeams(), 0);
  });
});

onOneEngine('a team whose recordings are large', (engine) => {
  const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(200_000, 7)]);
  const MOST_BYTES = 500_000;
  let audio = AUDIO;
  let asked = 0;
  const internet = useStage(() =>
    startTestInternet((_request, response) => {
      asked++;
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(audio);
    }),
  );
  const stage = useStage(() =>
    createRecordingsStage(engine, { outbound: internet.outbound, recordingBytes: MOST_BYTES }),
  );

  test('archives no more than it may, is told why, and gets the rest once there is room', async () => {
    const accountId = await stage.addAccount();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push(await stage.addRecording(accountId));
    await Promise.all(ids.map((id) => stage.fetch(id)));
    const rows = await Promise.all(ids.map(stage.rowOf));
    const waiting = rows.filter(({ state }) => state === 'waiting');
    assert.deepEqual([rows.filter(({ state }) => state === 'archived').length, waiting.length], [2, 2]);
    for (const { problem } of waiting)
      assert.match(problem ?? '', /reached their limit of 488.3 KiB\. This one is fetched once there's room/);
    for (const row of waiting)
      await assert.rejects(stage.storage.open(`${row.teamId}/${row.id}`, { start: 0, length: 1 }), {
        name: 'RecordingLost',
      });
    assert.deepEqual(stage.incoming(), []);
    assert.equal(stage.lines.filter(({ message }) => message.includes('limit for recordings')).length, 1);

    await stage.database.run('update telephony_recording_bytes set bytes = $2 where team_id = $1', [
      stage.team.id,
      MOST_BYTES,
    ]);
    const before = asked;
    await stage.fetch(waiting[0]?.id ?? '');
    assert.equal(asked, before, 'While there is no room at all, nothing is downloaded.');

    await stage.database.run('update telephony_recording_bytes set bytes = 0 where team_id = $1', [stage.team.id]);
    for (const { id } of waiting) await stage.fetch(id);
    const states = (await Promise.all(ids.map(stage.rowOf))).map(({ state }) => state);
    assert.deepEqual(states, ['archived', 'archived', 'archived', 'archived']);
    assert.equal(stage.fullTeams.count('recordings'), 0);
  });

  test('does not archive one that is larger than all of its room, not even as its first', async () => {
    await stage.database.run('delete from telephony_recording_bytes');
    audio = Buffer.concat([AUDIO, Buffer.alloc(MOST_BYTES, 7)]);
    const id = await stage.addRecording(await stage.addAccount());
    await stage.fetch(id);
    const { state, problem } = await stage.rowOf(id);
    assert.equal(state, 'waiting');
    assert.match(problem ?? '', /reached their limit/);
    assert.equal(await getRecordingBytes(stage.database, stage.team.id), 0);
  });
});
