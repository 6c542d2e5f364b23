import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookiesOf, expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer, ticketOf } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine("a flow of a customer's user whose sessions the operator has ended", (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  let made = 0;

  const prepare = async (options: { expiresInSeconds?: number } = {}) => {
    const team = `ended-${engine}-${++made}`;
    await putCustomer(flow.stage, team);
    return { team, session: await createConnectSession(flow.stage, team, { user: 'leaving', ...options }) };
  };

  const endSessions = async (team: string, user = 'leaving') => {
    const url = `/api/operator/teams/${team}/sessions?user=${user}`;
    assert.equal((await flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR })).statusCode, 204);
    // What begins from now on is later.
    flow.clock.advance(1);
  };

  /** As a browser with these cookies. Returns those that are set. */
  const openPage = async (page: string, cookies = '') => {
    const answer = await flow.stage.server.inject({
      method: 'POST',
      url: '/connect',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: cookies },
      payload: `ticket=${ticketOf(page)}`,
    });
    assert.equal(answer.statusCode, 303, answer.body);
    return [answer.headers['set-cookie'] ?? []].flat().map(String);
  };

  const beginOnPage = async (cookie: string) => {
    const { body } = await flow.get('/connect', { cookie });
    const [, link = ''] = /href="(\/connect\/github\?[^"]+)"/.exec(body) ?? [];
    const begun = await flow.get(link.replaceAll('&amp;', '&'), { cookie });
    assert.equal(begun.statusCode, 302, begun.body);
    return { authorizationUrl: String(begun.headers.location), cookie: cookiesOf(begun.headers['set-cookie']) };
  };

  const expectNothing = async (team: string, before: number) => {
    assert.equal(flow.exchanges(), before, 'A token request was made.');
    assert.equal(await flow.statusOf(asCustomer(team)), 'disconnected');
  };

  test('connects nothing, whichever way it was begun, and whether or not it was parked', async () => {
    const { team, session } = await prepare();
    const ofOperator = asCustomer(team, 'leaving');
    const page = cookiesOf(await openPage(session.page));
    const begun = [await flow.begin(session), await flow.begin(ofOperator), await beginOnPage(page)];
    const { connectUrl, ...last } = await flow.begin(session);
    const parked = expectParked(await flow.arrive(flow.consent(last.authorizationUrl)));
    await endSessions(team);
    const before = flow.exchanges();
    for (const { authorizationUrl, cookie } of begun)
      expectRefused(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 400, 'integrations.state_invalid');
    expectRefused(await flow.complete(ofOperator, parked), 410, 'integrations.attempt_expired');
    const { pathname, search } = new URL(connectUrl);
    expectRefused(await flow.get(`${pathname}${search}`), 410, 'integrations.ticket_invalid');
    await expectNothing(team, before);
  });

  test('connects nothing either if its session had expired by itself before', async () => {
    const { team, session } = await prepare({ expiresInSeconds: 60 });
    const { authorizationUrl, cookie } = await flow.begin(session);
    flow.clock.advance(61_000);
    await endSessions(team);
    const before = flow.exchanges();
    expectRefused(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 400, 'integrations.state_invalid');
    await expectNothing(team, before);
  });

  test('keeps neither the same user nor others from connecting', async () => {
    const { team } = await prepare();
    const other = await createConnectSession(flow.stage, team, { user: 'staying' });
    const begun = await flow.begin(other);
    await endSessions(team);
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }));
    const back = await createConnectSession(flow.stage, team, { user: 'leaving' });
    const again = await flow.begin(back);
    expectConnected(await flow.arrive(flow.consent(again.authorizationUrl), { cookie: again.cookie }));
  });

  for (const [when, expiresInSeconds, waitMs] of [
    ['while theirs is open', 900, 0],
    ['after theirs has expired by itself', 60, 61_000],
  ] as const)
    test(`does not bring the next person's account into their team, if that person opens the page at the same browser ${when}`, async () => {
      const { team, session } = await prepare({ expiresInSeconds });
      const next = await prepare();
      const page = cookiesOf(await openPage(session.page));
      const { authorizationUrl, cookie } = await beginOnPage(page);
      // The product has forgotten to end the session.
      flow.clock.advance(waitMs);
      const [cleared = '', opened = ''] = await openPage(next.session.page, `${page}; ${cookie}`);
      assert.match(cleared, /^patchbay_connect=;.*Expires=Thu, 01 Jan 1970/);
      const before = flow.exchanges();
      expectParked(await flow.arrive(flow.consent(authorizationUrl), { cookie: cookiesOf(opened) }));
      await expectNothing(team, before);
      await expectNothing(next.team, before);
    });

  test('is not affected by opening the page again', async () => {
    const { team, session } = await prepare();
    const page = cookiesOf(await openPage(session.page));
    const { authorizationUrl, cookie } = await beginOnPage(page);
    const again = await createConnectSession(flow.stage, team, { user: 'leaving' });
    const cookies = await openPage(again.page, `${page}; ${cookie}`);
    assert.equal(cookies.length, 1, 'Only the cookie of the page is set.');
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
  });
});
