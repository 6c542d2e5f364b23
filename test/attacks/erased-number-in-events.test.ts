import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Outbound } from '../../src/platform/index.ts';
import { fetchRecording, handleFetchRecording } from '../../src/telephony/recordings/fetch-recording.job.ts';
import { OPERATOR, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { type FollowedEvent, followEvents } from '../harness/follow-events.ts';
import { newCallSid, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PERSON = '+4915112345678';
const OTHER = '+4915187654321';

const outbound: Outbound = {
  request: () => Promise.reject(new Error('Nobody asks for that.')),
  open: async () => ({ status: 404, headers: {}, body: Readable.from([]) }),
};

onEachEngine('the events of a number that is erased', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { outbound }));

  type Team = Awaited<ReturnType<typeof stage.newTeam>>;

  const erase = ({ admin }: Team) =>
    stage.server.inject({
      method: 'POST',
      url: '/api/telephony/erase',
      headers: admin.headers,
      payload: { number: PERSON },
    });

  const callFrom = async ({ line, team }: Team, from: string): Promise<string> => {
    const sid = newCallSid();
    await line.rings(sid, { From: from });
    await line.recorded(sid, newRecordingSid(), { From: from });
    await line.status(sid, 'completed', { From: from });
    await stage.app.telephony.settle();
    const sql = "select id from recordings where team_id = $1 and state = 'waiting'";
    for (const { id } of await stage.app.database.all<{ id: string }>(sql, [team.id])) {
      const job = { attempt: fetchRecording.attempts, signal: new AbortController().signal };
      await handleFetchRecording(stage.app.telephony.context)({ teamId: team.id, recordingId: id }, job);
    }
    return sid;
  };

  const isErased = ({ data }: FollowedEvent): boolean => JSON.stringify(data) === '{"erased":true}';

  test('say nothing more about it, and those of others stay as they are', async () => {
    const team = await stage.newTeam();
    const read = async () => (await followEvents(stage.server, team.member.headers)).all;
    const sid = await callFrom(team, PERSON);
    const own = (await read()).map(({ id }) => id);
    await callFrom(team, OTHER);
    const before = await read();
    assert.deepEqual(
      before.map(({ type }) => type.split('.')[0]),
      [...own, ...own].map((_, index) => before[index % own.length]?.type.split('.')[0]),
    );
    assert.ok(before.some(({ type }) => type === 'recording.failed'));
    assert.equal((await erase(team)).json().calls, 1);
    const after = await read();
    assert.deepEqual(
      after,
      before.map((event) => (own.includes(event.id) ? { ...event, data: { erased: true } } : event)),
      'That something happened stays.',
    );
    assert.equal(after.filter(isErased).length, own.length);
    const left = await stage.app.database.all('select id from events where team_id = $1 and data is not null', [
      team.team.id,
    ]);
    assert.equal(left.length, after.length - own.length);

    await team.line.status(sid, 'completed', { From: PERSON });
    await team.line.leavesMessage(sid);
    await stage.app.telephony.settle();
    assert.equal((await read()).length, after.length, 'Nothing new is recorded about it.');
  });

  test('are erased with their team, and only the operator learns that', async () => {
    const key = `erased-${engine}`;
    const { id } = await putCustomer(stage, key);
    const operators = await followEvents(stage.server, OPERATOR, '/api/operator/events');
    const { events } = stage.app;
    const data = { from: PERSON };
    await stage.app.database.transaction((tx) =>
      events.record(tx, { teamId: id, type: 'call.started', subject: 'a-call', data }),
    );
    const [started] = await operators.next();
    assert.deepEqual([started?.sequence, started?.data], [1, data]);
    await stage.server.inject({ method: 'DELETE', url: `/api/operator/teams/${key}`, headers: OPERATOR });
    for (let round = 0; round < 2; round++) {
      await stage.app.erasure.eraseDue({}, { signal: new AbortController().signal });
      stage.clock.advance(20_000);
    }
    const [erased, ...none] = await operators.next();
    assert.deepEqual([erased?.type, erased?.team, none], ['team.erased', { id, key }, []]);
    assert.equal(erased?.sequence, 2, 'It comes after everything else.');
    const rows = await stage.app.database.all<{ type: string }>('select type, data from events where team_id = $1', [
      id,
    ]);
    assert.deepEqual(JSON.stringify(rows), JSON.stringify([{ type: 'team.erased', data: null }]));
    const again = await putCustomer(stage, key);
    const { headers } = { headers: { ...OPERATOR, 'patchbay-team': key } };
    assert.notEqual(again.id, id);
    assert.deepEqual((await followEvents(stage.server, headers)).all, []);
  });
});
