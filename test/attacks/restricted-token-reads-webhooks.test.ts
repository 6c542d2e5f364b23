import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

type Logged = { id: string; data: Record<string, unknown> };

const WITHHELD = { withheld: true };
const LARGE = JSON.stringify('secret '.repeat(4_000));

onOneEngine('a restricted token that reads events', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  const list = async (headers: Record<string, string>, type: string): Promise<Logged[]> => {
    const answer = await stage.ask('GET', `/api/events?type=${encodeURIComponent(type)}`, headers);
    assert.equal(answer.status, 200, answer.body);
    return answer.json.events;
  };

  const idsOf = (events: readonly Logged[]): unknown[] => events.map(({ data }) => data['id'] ?? 'withheld');

  /** A team with an account at `acme-full`, and webhooks about it and about others. */
  const prepareTeam = async () => {
    const team = await stage.connected();
    const { json } = await stage.ask('GET', '/api/integrations/status', team.headers);
    const { account } = json.integrations.find(({ provider }: { provider: string }) => provider === 'acme-full');
    const provider = 'acme-full';
    const ofTeam = (more: Parameters<typeof providerEvent>[1]) =>
      providerEvent(team.admin.user.teamId, { provider, account: account.id, payload: LARGE, ...more });
    await stage.app.database.transaction((tx) =>
      stage.app.events.record(
        tx,
        ofTeam({ id: 'mine' }),
        ofTeam({ id: 'of another connection', name: 'other' }),
        ofTeam({ id: 'of the account that was there before', account: 'somebody else' }),
        ofTeam({ id: 'of nobody known', account: null }),
        ofTeam({ id: 'of another provider', provider: 'acme-other' }),
      ),
    );
    return team;
  };

  test('sees only what happened at the account that it reaches', async () => {
    const { headers } = await prepareTeam();
    const named = { provider: 'acme-full', connection: 'default' };
    const token = await makeToken(stage.server, headers, { can: ['events'], allow: [named] });
    assert.deepEqual(idsOf(await list(token, 'provider.event')), ['mine', ...Array(4).fill('withheld')]);
    const all = await list(headers, 'provider.event');
    assert.ok(!idsOf(all).includes('withheld'), 'Its maker sees all of it.');
    for (const { id, data } of all) {
      const one = await stage.ask('GET', `/api/events/${id}`, token);
      const payload = await stage.ask('GET', `/api/events/${id}/payload`, token);
      if (data['id'] === 'mine') {
        assert.equal(one.json.data.id, 'mine');
        assert.equal(payload.body, LARGE);
        continue;
      }
      assert.deepEqual(one.json.data, WITHHELD);
      assert.deepEqual([payload.status, payload.json.code], [404, 'events.payload_unknown']);
      assert.doesNotMatch(one.body + payload.body, /secret|acme/);
    }
  });

  test('learns nothing by asking for one provider or one of its types', async () => {
    const { headers } = await prepareTeam();
    const named = { provider: 'acme-full', connection: 'default' };
    const token = await makeToken(stage.server, headers, { can: ['events'], allow: [named] });
    assert.deepEqual(idsOf(await list(token, 'provider.event:acme-full')), ['mine']);
    assert.deepEqual(idsOf(await list(token, 'provider.event:acme-full/issues')), ['mine']);
    assert.deepEqual(await list(token, 'provider.event:acme-other'), []);
    assert.deepEqual(await list(token, 'provider.event:acme-other/issues'), []);
  });

  test('sees all accounts at a provider if it may use all', async () => {
    const { headers } = await prepareTeam();
    const token = await makeToken(stage.server, headers, { can: ['events'], allow: [{ provider: 'acme-full' }] });
    const ids = idsOf(await list(token, 'provider.event'));
    assert.equal(ids.filter((id) => id === 'withheld').length, 1);
    assert.ok(!ids.includes('of another provider'));
  });

  test('sees no account at all without a right to one', async () => {
    const { headers } = await prepareTeam();
    const token = await makeToken(stage.server, headers, { can: ['events'] });
    assert.deepEqual(idsOf(await list(token, 'provider.event')), Array(5).fill('withheld'));
    const other = await makeToken(stage.server, headers, { can: ['status'], allow: [{ provider: 'acme-full' }] });
    const [{ id } = { id: '' }] = await list(headers, 'provider.event');
    assert.equal((await stage.ask('GET', `/api/events/${id}/payload`, other)).status, 403);
  });
});
