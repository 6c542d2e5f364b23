import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { handlePruneApprovals } from '../../src/integrations/approvals/approvals-due.job.ts';
import { openDatabase } from '../../src/platform/index.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createEmptyPlace } from '../harness/places.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Kept = { id: string; state: string; content: string | null; response: string | null };

onEachEngine('approvals', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  const erasure = createTestErasure(stage);
  beforeEach(() => stage.api.reset());

  const kept = (id: string) =>
    stage.app.database.get<Kept>(
      `select a.id as id, state, content, response from approvals a
        left join approval_contents c on c.team_id = a.team_id and c.approval_id = a.id where a.id = $1`,
      [id],
    );
  const prune = () => handlePruneApprovals({ database: stage.app.database, clock: stage.clock })();

  test('lose their responses after an hour, and are erased after 30 days', async () => {
    const { token, headers } = await stage.asking({ expiresInDays: 60 });
    const id = await stage.park(token);
    await stage.approve(id, headers);
    stage.clock.advance(HOUR_MS - 1);
    await prune();
    assert.notEqual((await kept(id))?.response ?? null, null);
    stage.clock.advance(2);
    await prune();
    assert.equal((await kept(id))?.response, null);
    stage.clock.advance(30 * DAY_MS - HOUR_MS - 2);
    await prune();
    assert.equal((await kept(id))?.state, 'sent');
    stage.clock.advance(2);
    await prune();
    assert.equal(await kept(id), undefined);
    assert.equal((await stage.ask('GET', `/api/approvals/${id}`, headers)).status, 404);
  });

  test('are erased with their token, whatever their state', async () => {
    const { token, headers } = await stage.asking();
    const ids = [await stage.park(token), await stage.park(token), await stage.park(token)] as const;
    await stage.approve(ids[0], headers);
    await stage.refuse(ids[1], headers);
    const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json;
    const { id } = tokens.find(({ name }: { name: string }) => name === 'agent');
    const revoked = await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${id}`, headers });
    assert.equal(revoked.statusCode, 204);
    assert.deepEqual((await stage.ask('GET', '/api/approvals', headers)).json.approvals, []);
    for (const one of ids) assert.equal((await stage.ask('GET', `/api/approvals/${one}`, headers)).status, 404);
    assert.equal((await stage.approve(ids[2], headers)).status, 404);
    await stage.app.integrations.approvals.doDue();
    await prune();
    for (const one of ids) assert.equal(await kept(one), undefined);
    assert.deepEqual(await stage.app.database.all('select * from approval_tokens where id = $1', [id]), []);
    assert.equal(stage.api.received.length, 1, 'What waited was not sent.');
  });

  test('that wait are refused when their token ends, and their alert closes', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    const listAlerts = async () => {
      await stage.app.notices.alerts.look();
      return (await stage.ask('GET', '/api/events/alerts', headers)).json.open;
    };
    assert.deepEqual(
      (await listAlerts()).map(({ subject }: { subject: string }) => subject),
      [id],
    );
    const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json;
    const { id: tokenId } = tokens.find(({ name }: { name: string }) => name === 'agent');
    await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${tokenId}`, headers });
    await stage.app.integrations.approvals.doDue();
    await stage.app.integrations.approvals.doDue();
    assert.deepEqual(await listAlerts(), []);
    const { events } = (await stage.ask('GET', '/api/events?type=approval.decided', headers)).json;
    assert.deepEqual(
      events.map(({ data }: { data: { id: string; state: string } }) => [data.id, data.state]),
      [[id, 'refused']],
    );
    const { events: audit } = (await stage.ask('GET', '/api/audit', headers)).json;
    const stopped = audit.find(({ action }: { action: string }) => action === 'approval.stop');
    assert.match(stopped?.detail.problem ?? '', /token has ended/);
  });

  test("are erased with their team, and not with anybody else's", async () => {
    const [one, other] = [await stage.asking(), await stage.asking()];
    const [gone, stays] = [await stage.park(one.token), await stage.park(other.token)];
    await erasure.begin(one.team.id);
    await erasure.run();
    assert.equal(await kept(gone), undefined);
    assert.equal((await kept(stays))?.id, stays);
  });

  test('in a restored backup are never sent: the original may send them, or may have', async () => {
    const { token, headers } = await stage.asking();
    const [waiting, sending, sent] = [await stage.park(token), await stage.park(token), await stage.park(token)];
    await stage.approve(sent, headers);
    // As the process leaves it that dies after the approval.
    await stage.app.database.run("update approvals set state = 'sending', lease_until = 0 where id = $1", [sending]);
    const file = join(stage.config.data, 'approvals.zst');
    const made = await runCommand(['backup', file], settingsOf(stage));
    assert.equal(made.code, 0, made.stderr);
    const place = await createEmptyPlace(engine);
    const restored = await runCommand(['restore', file], place.env);
    assert.equal(restored.code, 0, restored.stderr);
    const copy = openDatabase(place.settings, () => undefined);
    const inCopy = async (id: string) =>
      (await copy.get<Kept>(
        `select state, content from approvals a left join approval_contents c on c.approval_id = a.id where a.id = $1`,
        [id],
      )) ?? assert.fail('no row');
    try {
      const [first, second, third] = [await inCopy(waiting), await inCopy(sending), await inCopy(sent)];
      assert.deepEqual([first.state, first.content], ['expired', null]);
      assert.deepEqual([second.state, third.state], ['unclear', 'sent']);
    } finally {
      await copy.close();
      await place.remove();
    }
    assert.equal((await stage.approval(waiting, headers)).state, 'waiting', 'The original goes on.');
  });
});
