import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectConnected, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { holdLock, isOneWaiting } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('what waits for a lock while its user loses access (postgresql)', () => {
  const flow = useStage(() => startConnectStage('postgresql', { providers: { github: {}, atlassian: {} } }));

  const enter = async (team: string) => {
    await putCustomer(flow.stage, team);
    return createConnectSession(flow.stage, team, { user: 'leaving' });
  };

  const connect = async (session: Awaited<ReturnType<typeof enter>>, provider: string) => {
    const begun = await flow.begin(session, provider);
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }), provider);
  };

  /** Ends the user's access while the work waits for what others have locked. */
  const runWhileEnded = async <Answer>(
    { team, lock, end }: { team: string; lock: string; end: string },
    work: () => Promise<Answer>,
  ): Promise<Answer> => {
    const { database } = flow.stage.app;
    const held = await holdLock(database, lock, [team]);
    const working = work();
    await waitUntil('the work waits', () => isOneWaiting(database), 10_000);
    flow.clock.advance(1);
    const url = `/api/operator/teams/${team}/${end}`;
    const ended = await flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR });
    assert.equal(ended.statusCode, 204, ended.body);
    await held.release();
    return working;
  };

  const LOCK_TEAM = 'select id from teams where key = $1 for no key update';
  const LOCK_CONNECTIONS =
    'select id from connections where team_id = (select id from teams where key = $1) for update';

  for (const [team, end] of [
    ['ending', 'sessions?user=leaving'],
    ['removing', 'users/leaving'],
  ] as const) {
    test(`a connect stores nothing (${team})`, async () => {
      const begun = await flow.begin(await enter(team), 'github');
      const arrived = await runWhileEnded({ team, lock: LOCK_TEAM, end }, async () =>
        flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }),
      );
      expectRefused(arrived, 400, 'integrations.state_invalid');
      assert.equal(await flow.statusOf(asCustomer(team), 'github'), 'disconnected');
    });

    test(`a reconnect replaces nothing (${team})`, async () => {
      const [name, account] = [`again-${team}`, 'another'];
      const session = await enter(name);
      await connect(session, 'github');
      const begun = await flow.begin(session, 'github');
      const arrived = await runWhileEnded({ team: name, lock: LOCK_CONNECTIONS, end }, async () =>
        flow.arrive(flow.consent(begun.authorizationUrl, { account }), { cookie: begun.cookie }),
      );
      expectRefused(arrived, 400, 'integrations.state_invalid');
      assert.equal(await flow.statusOf(asCustomer(name), 'github'), 'connected');
    });

    test(`a disconnect removes nothing (${team})`, async () => {
      const name = `disconnect-${team}`;
      const session = await enter(name);
      await connect(session, 'github');
      const given = await runWhileEnded({ team: name, lock: LOCK_CONNECTIONS, end }, async () =>
        flow.post('github/disconnect', session.headers),
      );
      assert.equal(given.statusCode, 401, given.body);
      assert.equal(await flow.statusOf(asCustomer(name), 'github'), 'connected');
    });

    test(`a choice of a site stores nothing (${team})`, async () => {
      const name = `site-${team}`;
      const session = await enter(name);
      const sites = ['one', 'two'].map((site) => ({ id: site, name: site, url: `https://${site}.example` }));
      const answer = { status: 200, answer: sites };
      flow.simulator.fail('atlassian', 'sites', answer);
      await connect(session, 'atlassian');
      const given = await runWhileEnded({ team: name, lock: LOCK_CONNECTIONS, end }, async () => {
        flow.simulator.fail('atlassian', 'sites', answer);
        const url = '/api/integrations/atlassian/site';
        return flow.stage.server.inject({ method: 'PUT', url, headers: session.headers, payload: { site: 'two' } });
      });
      assert.equal(given.statusCode, 401, given.body);
      const { integrations } = (await flow.get('/api/integrations/status', asCustomer(name).headers)).json();
      assert.equal(integrations.find(({ provider }: { provider: string }) => provider === 'atlassian').site, null);
    });
  }
});
