import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Outbound } from '../../src/platform/index.ts';
import { handleFetchRecording } from '../../src/telephony/recordings/fetch-recording.job.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { newCallSid, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(1_000, 7)]);
const outbound: Outbound = {
  request: () => Promise.reject(new Error('Nobody asks for that.')),
  open: async () => ({ status: 200, headers: { 'content-type': 'audio/mpeg' }, body: Readable.from([AUDIO]) }),
};

onOneEngine('the audit log', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { outbound }));

  test('names the restricted token that listened to a recording', async () => {
    const made = await stage.newTeam();
    const [callSid, recordingSid] = [newCallSid(), newRecordingSid()];
    await made.line.rings(callSid);
    await made.line.recorded(callSid, recordingSid, { RecordingStatus: 'completed' });
    await stage.app.telephony.settle();
    const row = await stage.app.database.get<{ id: string }>('select id from recordings where external_id = $1', [
      recordingSid,
    ]);
    assert.ok(row);
    const payload = { teamId: made.team.id, recordingId: row.id };
    await handleFetchRecording(stage.app.telephony.context)(payload, {
      attempt: 1,
      signal: new AbortController().signal,
    });
    const token = await makeToken(stage.server, made.member.headers, { can: ['recordings'] });
    const heard = await stage.server.inject({ url: `/api/recordings/${row.id}/audio`, headers: token });
    assert.equal(heard.statusCode, 200);
    const listListens = async () => {
      const answer = await stage.server.inject({
        url: '/api/audit?what=recording.listen',
        headers: made.admin.headers,
      });
      return answer.json().events;
    };
    await waitUntil('the listen is in the audit log', async () => (await listListens()).length > 0);
    const [{ actor, detail }] = await listListens();
    assert.deepEqual([actor.id, detail.token], [made.member.user.id, 'agent']);
  });
});
