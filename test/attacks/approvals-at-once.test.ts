import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { runTogether } from '../harness/run-together.ts';
import { useStage } from '../harness/use-stage.ts';

type Verb = 'approve' | 'refuse';

onEachEngine('two admins who decide at the same moment, in two processes', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  const decideTogether = async (first: Verb, second: Verb) => {
    const other = await stage.openOther();
    const { token, headers, member } = await stage.asking();
    const url = `/api/members/${member.user.id}`;
    const promoted = await stage.server.inject({ method: 'PATCH', url, headers, payload: { role: 'admin' } });
    assert.equal(promoted.statusCode, 200, promoted.body);
    const id = await stage.park(token);
    const [won, lost] = await runTogether(stage.app.database, 'approvals', [
      () => stage[first](id, headers),
      () => other.ask('POST', `/api/approvals/${id}/${second}`, member.headers),
    ]);
    assert.equal(won.status, 200, won.body);
    assert.deepEqual([lost.status, JSON.parse(lost.body).code], [409, 'approvals.decided']);
    return stage.approval(id, headers);
  };

  test('send a request once if both approve', async () => {
    const { state, decidedBy } = await decideTogether('approve', 'approve');
    assert.equal(state, 'sent');
    assert.match(decidedBy?.label ?? '', /^admin@/);
    assert.equal(stage.api.received.length, 1);
  });

  test('send it if the first one approves and the second one refuses', async () => {
    assert.equal((await decideTogether('approve', 'refuse')).state, 'sent');
    assert.equal(stage.api.received.length, 1);
  });

  test('never send it if the first one refuses', async () => {
    assert.equal((await decideTogether('refuse', 'approve')).state, 'refused');
    assert.equal(stage.api.received.length, 0);
  });
});
