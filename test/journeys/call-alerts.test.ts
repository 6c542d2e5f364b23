import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { onOneEngine } from '../harness/databases.ts';
import { CALLER, newCallSid, newRecordingSid, openTelephonyStage, SERVICE_URL } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 86_400_000;
const ON = { mail: true, slack: true };

onOneEngine('alerts about calls', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { answer: { voicemail: true } }));

  const openTeam = async () => {
    const made = await stage.newTeam();
    const url = '/api/events/alerts';
    const { headers } = made.admin;
    const settings = { reconnect: ON, voicemail: ON, missed: ON, endpoint: ON };
    const { statusCode } = await stage.server.inject({ method: 'PUT', url, headers, payload: { settings } });
    assert.equal(statusCode, 200);
    const titles = async (): Promise<string[]> => {
      await stage.app.telephony.settle();
      await stage.app.notices.alerts.look();
      const { open } = (await stage.server.inject({ url, headers })).json();
      return open.map(({ title }: { title: string }) => title);
    };
    return { ...made, url, headers, titles };
  };

  type Line = Awaited<ReturnType<typeof openTeam>>['line'];

  const miss = async (line: Line): Promise<string> => {
    const sid = newCallSid();
    await line.rings(sid);
    await line.dialed(sid, 'no-answer');
    await line.status(sid, 'completed');
    return sid;
  };

  test('open when a call is missed, become those of a voicemail, and end when someone returns the call', async () => {
    const { line, calls, titles, url, headers } = await openTeam();
    const sid = await miss(line);
    assert.deepEqual(await titles(), [`Missed call from (555) 123-0001`]);
    await line.leavesMessage(sid);
    assert.deepEqual(await titles(), [`Voicemail from (555) 123-0001`]);
    const [call] = await calls();
    const [alert] = (await stage.server.inject({ url, headers })).json().open;
    assert.deepEqual([alert.subject, alert.url], [call.id, `${SERVICE_URL}/calls/${call.id}`]);
    const returned = await stage.server.inject({ method: 'POST', url: `/api/calls/${call.id}/returned`, headers });
    assert.equal(returned.statusCode, 200);
    assert.deepEqual(await titles(), []);
  });

  test('end when everything about the caller is erased', async () => {
    const { line, titles, headers } = await openTeam();
    await line.leavesMessage(await miss(line));
    assert.equal((await titles()).length, 1);
    const erased = await stage.server.inject({
      ...{ method: 'POST', url: '/api/telephony/erase', headers, payload: { number: CALLER } },
    });
    assert.equal(erased.json().calls, 1);
    assert.deepEqual(await titles(), []);
  });

  test('end when the message is past its retention', async () => {
    const { line, titles, headers } = await openTeam();
    const retention = { recordingDays: 1, payloadDays: 30 };
    await stage.server.inject({ method: 'PATCH', url: '/api/team', headers, payload: { retention } });
    const [sid, recordingSid] = [await miss(line), newRecordingSid()];
    await line.leavesMessage(sid);
    await line.recorded(sid, recordingSid);
    assert.equal((await titles()).length, 1);
    const recording = await stage.app.database.get<{ id: string; teamId: string }>(
      'select id, team_id as "teamId" from recordings where external_id = $1',
      [recordingSid],
    );
    await archiveRecording(stage.app, recording ?? assert.fail('There is no recording.'));
    stage.clock.advance(2 * DAY_MS);
    await handlePruneTelephony(stage.app.telephony.context)({}, { signal: new AbortController().signal });
    assert.deepEqual(await titles(), []);
  });

  test('end when the caller gets through later, even if both are read at once', async () => {
    const { line, titles } = await openTeam();
    const getThrough = async (): Promise<void> => {
      stage.clock.advance(60_000);
      const sid = newCallSid();
      await line.rings(sid);
      await line.dialed(sid, 'completed', { DialCallDuration: '12', DialBridged: 'true' });
      await line.status(sid, 'completed', { CallDuration: '20' });
    };
    await miss(line);
    assert.equal((await titles()).length, 1);
    await getThrough();
    assert.deepEqual(await titles(), []);
    stage.clock.advance(60_000);
    await miss(line);
    await stage.app.telephony.settle();
    await getThrough();
    assert.deepEqual(await titles(), []);
  });
});
