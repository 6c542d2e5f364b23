import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { countCalls } from '../../src/telephony/index.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import {
  createPhoneLine,
  newAccountSid,
  newCallSid,
  newRecordingSid,
  openTelephonyStage,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 86_400_000;

onEachEngine('demo calls', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /** A team with one real call and two simulated ones, one of them recorded. */
  const openTeam = async () => {
    const team = await stage.newTeam();
    const accountId = newAccountSid();
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/telephony/accounts',
      headers: team.admin.headers,
      payload: { provider: 'twilio', accountId, secrets: ['auth-token-of-the-tests'] },
    });
    const { id } = made.json<{ id: string }>();
    await stage.app.database.run('update telephony_accounts set simulated = 1 where id = $1', [id]);
    const line = createPhoneLine(stage.server, { id, accountId });
    const miss = async (on: typeof line, from: string): Promise<string> => {
      const sid = newCallSid();
      await on.rings(sid, { From: from });
      await on.status(sid, 'no-answer', { From: from });
      return sid;
    };
    await miss(team.line, '+15551230001');
    await miss(line, '+15555550101');
    const recordingSid = newRecordingSid();
    await line.recorded(await miss(line, '+15555550102'), recordingSid);
    await stage.app.telephony.settle();
    const recording = await stage.app.database.get<{ id: string; teamId: string }>(
      'select id, team_id as "teamId" from recordings where external_id = $1',
      [recordingSid],
    );
    await archiveRecording(stage.app, recording ?? assert.fail('There is no recording.'));
    return { ...team, simulated: id };
  };

  const countWeek = async (teamId: string) => {
    const now = stage.clock.now();
    const span = { startsAt: now - 3 * DAY_MS, endsAt: now + DAY_MS, beforeStartsAt: now - 10 * DAY_MS };
    return countCalls(stage.app.telephony.context, teamId, { ...span, pieceMs: DAY_MS, asOf: now + DAY_MS });
  };

  test('are labeled in the list and left out of reports', async () => {
    const { team, member } = await openTeam();
    const session = await openSession(stage, member.user);
    const { body } = await stage.server.inject({ url: '/calls', headers: session.headers });
    assert.equal(body.split('demo call').length - 1, 2);
    const { ended, callers, recordings, waiting } = await countWeek(team.id);
    assert.deepEqual(ended, [{ direction: 'inbound', outcome: 'missed', calls: 1, talkSeconds: 0 }]);
    assert.deepEqual([callers.total, waiting.total, recordings], [1, 1, []]);
  });

  test('are removed with one button, and nothing else is', async () => {
    const { team, admin, member, calls, simulated } = await openTeam();
    const { app, server } = stage;
    const sessions = { admin: await openSession(stage, admin.user), member: await openSession(stage, member.user) };
    const ask = (who: keyof typeof sessions) =>
      server.inject({ url: '/calls/demo/remove', headers: sessions[who].headers });
    assert.equal((await ask('member')).statusCode, 403);
    assert.match((await ask('admin')).body, /Your other calls stay/);
    const { cookie, csrfToken } = sessions.admin;
    const removed = await server.inject({
      method: 'POST',
      url: '/calls/demo/remove',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
    });
    assert.equal(removed.headers.location, '/calls?done=demo_removed', removed.body);
    assert.deepEqual(
      (await calls()).map(({ from }: { from: string }) => from),
      ['+15551230001'],
    );
    const left = await app.database.all('select id from recordings where account_id = $1', [simulated]);
    assert.deepEqual(left, []);
    assert.deepEqual(await app.telephony.calls.countWaiting(team.id), { callers: 1, messages: 0 });
    assert.equal((await ask('admin')).headers.location, '/calls', 'There is nothing left to remove.');
    assert.deepEqual(await app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE), { calls: 0 });
  });
});
