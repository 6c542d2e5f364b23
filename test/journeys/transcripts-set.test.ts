import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const SERVER = 'http://transcriber.internal:8080';

onOneEngine('transcripts of a number', (engine) => {
  const served = useStage(() => openTelephonyStage(engine, { env: { TRANSCRIBE_URL: SERVER } }));
  const without = useStage(() => openTelephonyStage(engine));

  type Team = Awaited<ReturnType<typeof served.newTeam>>;

  const set = async (stage: typeof served, { number, admin }: Pick<Team, 'number' | 'admin'>, answer: object) =>
    stage.server.inject({
      ...{ method: 'PATCH', url: `/api/telephony/numbers/${number.id}`, headers: admin.headers, payload: { answer } },
    });

  test('are off, unless somebody who could make them is chosen', async () => {
    const team = await without.newTeam();
    assert.equal(team.number.answer.transcribe, undefined);
    const refused = await set(without, team, { transcribe: 'own' });
    assert.deepEqual([refused.statusCode, refused.json().code], [400, 'telephony.answer_invalid']);
    assert.match(refused.json().errors[0].message, /TRANSCRIBE_URL/);
    assert.equal((await set(without, team, { transcribe: 'everybody' })).statusCode, 400);
    const changed = await set(without, team, { transcribe: 'provider' });
    assert.deepEqual([changed.statusCode, changed.json().answer.transcribe], [200, 'provider']);
  });

  test('say in the audit log who gets the audio', async () => {
    const team = await served.newTeam();
    assert.equal((await set(served, team, { transcribe: 'own' })).statusCode, 200);
    assert.equal((await set(served, team, { transcribe: 'own', record: true })).statusCode, 200);
    assert.equal((await set(served, team, {})).statusCode, 200);
    const { events } = (await served.server.inject({ url: '/api/audit', headers: team.admin.headers })).json();
    const changes = events.filter(({ action }: { action: string }) => action === 'telephony.number.change');
    const told = changes.map(({ detail }: { detail: { transcribe?: string } }) => detail.transcribe ?? 'unchanged');
    assert.deepEqual(told.toSorted(), ['off', 'own', 'unchanged']);
  });

  test('are set on the page of the number, which says where the audio goes', async () => {
    const team = await served.newTeam();
    const session = await openSession(served, team.admin.user);
    const url = `/settings/telephony/numbers/${team.number.id}`;
    const page = await served.server.inject({ url, headers: session.headers });
    assert.match(page.body, /transcriber\.internal:8080 is set by your Patchbay administrator, and gets the audio/);
    assert.match(page.body, /Twilio has the audio anyway/);
    const fields = { number: team.number.number, account: team.account.id, voicemail: 'on', transcribe: 'own' };
    const posted = await served.server.inject({
      ...{ method: 'POST', url, headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' } },
      payload: new URLSearchParams({ _csrf: session.csrfToken, ...fields }).toString(),
    });
    assert.equal(posted.statusCode, 303, posted.body);
    const saved = (await team.get(`/api/telephony/numbers/${team.number.id}`, team.admin.headers)).json();
    assert.equal(saved.answer.transcribe, 'own');
    const other = await without.newTeam();
    const theirs = await openSession(without, other.admin.user);
    const bare = await without.server.inject({
      ...{ url: `/settings/telephony/numbers/${other.number.id}`, headers: theirs.headers },
    });
    assert.doesNotMatch(bare.body, /gets the audio/);
  });
});
