import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { onEachEngine } from '../harness/databases.ts';
import { followEvents } from '../harness/follow-events.ts';
import { CALLER, newCallSid, OUR_NUMBER, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const OTHER = '+15551230002';
/** A number that calls still come to, and that was removed here. */
const FORMER_NUMBER = '+15551239998';

onEachEngine('callers who need a call back', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { answer: { voicemail: true } }));

  const openTeam = async () => {
    const made = await stage.newTeam();
    const { team, line, member } = made;
    const { calls } = stage.app.telephony;
    const settle = () => stage.app.telephony.settle();
    /** A call that nobody answers, a minute after the last. */
    const miss = async (from = CALLER, to = OUR_NUMBER): Promise<string> => {
      stage.clock.advance(MINUTE_MS);
      const sid = newCallSid();
      await line.rings(sid, { From: from, To: to });
      await line.status(sid, 'no-answer', { From: from, To: to });
      await settle();
      const row = await stage.app.database.get<{ id: string }>('select id from calls where external_id = $1', [sid]);
      return row?.id ?? assert.fail('There is no such call.');
    };
    const leaveMessage = async (from = CALLER): Promise<void> => {
      stage.clock.advance(MINUTE_MS);
      const sid = newCallSid();
      const more = { From: from };
      await line.rings(sid, more);
      await line.post(
        '/api/webhooks/telephony/voice',
        line.call(sid, { CallStatus: 'in-progress', RecordingDuration: '9', ...more }),
        '&step=voicemail',
      );
      await line.status(sid, 'completed', more);
    };
    const callBack = async (to = CALLER): Promise<void> => {
      stage.clock.advance(MINUTE_MS);
      const back = { From: OUR_NUMBER, To: to, Direction: 'outbound-api', CallDuration: '9' };
      await line.status(newCallSid(), 'completed', back);
    };
    const send = async (method: 'POST' | 'DELETE', url: string, payload?: object) => {
      const response = await stage.server.inject({ method, url, headers: member.headers, ...(payload && { payload }) });
      return { status: response.statusCode, body: response.json() };
    };
    return {
      ...made,
      ...{ miss, leaveMessage, callBack, send },
      /** Who waits and how often they called, newest first. */
      async waiting() {
        await settle();
        const shown = await calls.showWaiting(team.id, {}, 30);
        return shown.calls.map(({ from, attempts }) => [from, attempts]);
      },
      async count() {
        await settle();
        return calls.countWaiting(team.id);
      },
    };
  };

  test('are listed once, by their newest call, with the number of attempts', async () => {
    const { miss, leaveMessage, waiting, count, calls } = await openTeam();
    await miss();
    await leaveMessage();
    await miss(OTHER);
    await miss();
    assert.deepEqual(await waiting(), [
      [CALLER, 3],
      [OTHER, 1],
    ]);
    assert.deepEqual(await count(), { callers: 2, messages: 1 });
    assert.equal((await calls('?waiting=true')).length, 4, 'The API still lists every call.');
  });

  test('leave the list when they are called back or get through, and come back with their next attempt', async () => {
    const { line, miss, callBack, waiting, count } = await openTeam();
    await miss();
    await miss();
    await callBack();
    assert.deepEqual(await waiting(), []);
    await miss();
    assert.deepEqual(await waiting(), [[CALLER, 1]]);
    stage.clock.advance(MINUTE_MS);
    const sid = newCallSid();
    await line.rings(sid);
    await line.dialed(sid, 'completed', { DialCallDuration: '12', DialBridged: 'true' });
    await line.status(sid, 'completed');
    assert.deepEqual(await waiting(), []);
    assert.deepEqual(await count(), { callers: 0, messages: 0 });
  });

  test('are each on their own if the number is private', async () => {
    const { miss, waiting, send, calls } = await openTeam();
    await miss('anonymous');
    await miss('anonymous');
    assert.deepEqual(await waiting(), [
      [null, 1],
      [null, 1],
    ]);
    const [{ id }] = await calls();
    assert.equal((await send('POST', `/api/calls/${id}/returned`)).status, 200);
    assert.equal((await waiting()).length, 1);
  });

  test('are returned with all their attempts at once, and that can be taken back', async () => {
    const { team, member, miss, waiting, send, calls } = await openTeam();
    const ids = [await miss(), await miss(), await miss(OTHER)];
    const newest = [ids[1] ?? '', ids[2] ?? ''];
    const log = await followEvents(stage.server, member.headers);
    await log.next();
    const marked = await send('POST', '/api/calls/returned', { ids: newest, allAttempts: true });
    assert.equal(marked.status, 200, JSON.stringify(marked.body));
    assert.deepEqual(marked.body.calls.map(({ id }: { id: string }) => id).sort(), [...newest].sort());
    assert.deepEqual(await waiting(), []);
    assert.ok((await calls()).every(({ returnedAt }: { returnedAt: string | null }) => returnedAt !== null));
    const told = await log.next();
    assert.deepEqual([...new Set(told.map(({ type }) => type))], ['call.returned']);
    assert.equal(told.length, 3);

    const visitor = { teamId: team.id, userId: member.user.id };
    await stage.app.telephony.calls.unmarkReturned(visitor, COMMAND_LINE, { ids: newest, allAttempts: true });
    assert.deepEqual(await waiting(), [
      [OTHER, 1],
      [CALLER, 2],
    ]);
    const reopened = await log.next();
    assert.deepEqual([...new Set(reopened.map(({ type }) => type))], ['call.reopened']);
    assert.ok(reopened.every(({ data }) => data['returnedAt'] === null));
    const audit = await stage.app.database.all<{ action: string }>(
      "select action from audit_events where team_id = $1 and action like 'call.%'",
      [team.id],
    );
    assert.equal(audit.length, 6);
  });

  test('are returned with every attempt, however often they called', async () => {
    const { team, member, line, waiting, send } = await openTeam();
    const ATTEMPTS = 42;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const sid = newCallSid();
      await line.rings(sid);
      await line.status(sid, 'no-answer');
    }
    assert.deepEqual(await waiting(), [[CALLER, ATTEMPTS]]);
    const { calls } = await stage.app.telephony.calls.showWaiting(team.id, {}, 1);
    const ids = calls.map(({ id }) => id);
    assert.equal((await send('POST', '/api/calls/returned', { ids, allAttempts: true })).status, 200);
    assert.deepEqual(await waiting(), []);
    const visitor = { teamId: team.id, userId: member.user.id };
    await stage.app.telephony.calls.unmarkReturned(visitor, COMMAND_LINE, { ids, allAttempts: true });
    assert.deepEqual(await waiting(), [[CALLER, ATTEMPTS]]);
  });

  test('are returned by the first who says so, once', async () => {
    const { admin, member, miss } = await openTeam();
    const id = await miss();
    const log = await followEvents(stage.server, member.headers);
    const mark = async (headers: Record<string, string>) => {
      const response = await stage.server.inject({ method: 'POST', url: `/api/calls/${id}/returned`, headers });
      assert.equal(response.statusCode, 200, response.body);
      return response.json().returnedAt;
    };
    const first = await mark(member.headers);
    stage.clock.advance(MINUTE_MS);
    assert.equal(await mark(admin.headers), first);
    assert.deepEqual(await log.nextTypes(), ['call.returned']);
    const row = await stage.app.database.get<{ by: string }>(
      'select marked_returned_by as "by" from calls where id = $1',
      [id],
    );
    assert.equal(row?.by, member.user.id);
  });

  test('wait again if only the mark of one call is taken back', async () => {
    const { miss, waiting, send, callBack } = await openTeam();
    const [first, second] = [await miss(), await miss()];
    assert.equal((await send('POST', `/api/calls/${second}/returned`)).status, 200);
    assert.deepEqual(await waiting(), [[CALLER, 1]], 'The API marks the one that is named.');
    const { status, body } = await send('DELETE', `/api/calls/${second}/returned`);
    assert.deepEqual([status, body.id, body.returnedAt], [200, second, null]);
    assert.deepEqual(await waiting(), [[CALLER, 2]]);
    assert.equal((await send('DELETE', `/api/calls/${first}/returned`)).status, 200, 'It was never marked.');
    await callBack();
    assert.deepEqual(await waiting(), []);
  });

  test('wait again if the mark is taken back within a week', async () => {
    const { miss, waiting, send } = await openTeam();
    const id = await miss();
    assert.equal((await send('POST', `/api/calls/${id}/returned`)).status, 200);
    stage.clock.advance(WEEK_MS - 1);
    const { status, body } = await send('DELETE', `/api/calls/${id}/returned`);
    assert.deepEqual([status, body.returnedAt], [200, null]);
    assert.deepEqual(await waiting(), [[CALLER, 1]]);
  });

  test('stay returned if the mark is more than a week old', async () => {
    const { miss, waiting, send } = await openTeam();
    const id = await miss();
    assert.equal((await send('POST', `/api/calls/${id}/returned`)).status, 200);
    stage.clock.advance(WEEK_MS);
    const { status, body } = await send('DELETE', `/api/calls/${id}/returned`);
    assert.deepEqual([status, body.code], [409, 'telephony.mark_too_old']);
    assert.deepEqual(await waiting(), []);
  });

  test('still wait if their newest call is erased with the number it came to, and no longer if their own is', async () => {
    const { admin, miss, waiting, count } = await openTeam();
    const erase = async (number: string): Promise<void> => {
      const request = { method: 'POST' as const, url: '/api/telephony/erase', headers: admin.headers };
      const response = await stage.server.inject({ ...request, payload: { number } });
      assert.equal(response.statusCode, 200, response.body);
    };
    await miss();
    await miss(CALLER, FORMER_NUMBER);
    await miss(OTHER, FORMER_NUMBER);
    assert.deepEqual(await waiting(), [
      [OTHER, 1],
      [CALLER, 2],
    ]);
    await erase(FORMER_NUMBER);
    assert.deepEqual(await waiting(), [[CALLER, 1]]);
    assert.deepEqual(await count(), { callers: 1, messages: 0 });
    await erase(CALLER);
    assert.deepEqual(await waiting(), []);
  });

  test('are new the first time, and not if they were called before', async () => {
    const { team, miss, callBack } = await openTeam();
    await callBack(OTHER);
    for (const from of [CALLER, OTHER, CALLER, 'anonymous']) await miss(from);
    const { calls } = await stage.app.telephony.calls.show(team.id, {}, 10);
    assert.deepEqual(
      calls.map(({ from, isFirst }) => [from, isFirst]),
      [
        [null, false],
        [CALLER, false],
        [OTHER, false],
        [CALLER, true],
        [OUR_NUMBER, false],
      ],
    );
  });

  test('are marked all or not at all', async () => {
    const { line, miss, waiting, send, calls } = await openTeam();
    const id = await miss();
    const sid = newCallSid();
    await line.rings(sid, { From: OTHER });
    await line.dialed(sid, 'completed', { From: OTHER, DialCallDuration: '12', DialBridged: 'true' });
    await line.status(sid, 'completed', { From: OTHER });
    const [answered] = await calls('?outcome=answered');
    assert.equal((await send('POST', '/api/calls/returned', { ids: [id, answered.id] })).status, 409);
    assert.equal((await send('POST', '/api/calls/returned', { ids: [id, 'nobodys'] })).status, 404);
    assert.equal((await send('POST', '/api/calls/returned', { ids: [] })).status, 400);
    assert.deepEqual(await waiting(), [[CALLER, 1]]);
  });

  test('are found again by the next page', async () => {
    const { team, miss } = await openTeam();
    for (const last of [1, 2, 3]) await miss(`+1555124000${last}`);
    const { calls } = stage.app.telephony;
    const first = await calls.showWaiting(team.id, {}, 2);
    const second = await calls.showWaiting(team.id, { cursor: first.nextCursor ?? '' }, 2);
    assert.deepEqual(
      [...first.calls, ...second.calls].map(({ from }) => from),
      ['+15551240003', '+15551240002', '+15551240001'],
    );
    assert.equal(second.nextCursor, null);
    const longest = await calls.showWaiting(team.id, { order: 'oldest' }, 2);
    const rest = await calls.showWaiting(team.id, { order: 'oldest', cursor: longest.nextCursor ?? '' }, 2);
    assert.deepEqual(
      [...longest.calls, ...rest.calls].map(({ from }) => from),
      ['+15551240001', '+15551240002', '+15551240003'],
    );
    assert.equal(rest.nextCursor, null);
  });
});
