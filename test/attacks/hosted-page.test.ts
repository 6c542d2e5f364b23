import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookiesOf, expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('the hosted page', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, gitlab: {} } }));

  const ticketOf = (page: string): string => new URL(page, 'http://localhost').searchParams.get('ticket') ?? '';
  const redeem = (ticket: string, headers: Record<string, string> = {}) =>
    flow.stage.server.inject({
      method: 'POST',
      url: '/connect',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: `ticket=${ticket}`,
    });
  const openPage = async (team: string, options: { providers?: string[]; user?: string } = {}) => {
    await putCustomer(flow.stage, team);
    const session = await createConnectSession(flow.stage, team, options);
    const redeemed = await redeem(ticketOf(session.page));
    assert.equal(redeemed.statusCode, 303, redeemed.body);
    return { ...session, cookie: cookiesOf(redeemed.headers['set-cookie']) };
  };

  test('names the team and the user before anything starts, and looking changes nothing', async () => {
    await putCustomer(flow.stage, 'named');
    const { page } = await createConnectSession(flow.stage, 'named', { user: 'ann' });
    for (let times = 0; times < 3; times++) {
      const shown = await flow.get(page);
      assert.equal(shown.statusCode, 200);
      assert.match(shown.body, /The team of named/);
      assert.match(shown.body, /ann/);
      assert.equal(shown.headers['set-cookie'], undefined);
    }
    assert.equal((await redeem(ticketOf(page))).statusCode, 303);
  });

  test('opens once', async () => {
    await putCustomer(flow.stage, 'once');
    const { page } = await createConnectSession(flow.stage, 'once');
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(ticketOf(page))));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, ...Array(9).fill(410)]);
    assert.equal((await flow.get(page)).statusCode, 410);
  });

  test("is not opened by another site's form", async () => {
    await putCustomer(flow.stage, 'foreign');
    const { page } = await createConnectSession(flow.stage, 'foreign');
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
      assert.equal((await redeem(ticketOf(page), headers)).statusCode, 403);
    assert.equal((await redeem(ticketOf(page), { 'sec-fetch-site': 'same-origin' })).statusCode, 303);
  });

  test('has a cookie that works nowhere else, and no bearer token works there', async () => {
    const { cookie, token, headers } = await openPage('apart');
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 200);
    assert.equal((await flow.get('/api/integrations/status', { cookie })).statusCode, 401);
    const value = cookie.replace(/^[^=]*=/, '');
    assert.equal(
      (await flow.get('/api/integrations/status', { authorization: `Bearer pbs_${value}` })).statusCode,
      401,
    );
    assert.equal((await flow.get('/connect', headers)).statusCode, 401);
    assert.equal((await flow.get('/connect', { cookie: `patchbay_page=${token.slice(4)}` })).statusCode, 401);
    assert.equal((await flow.get('/connect', { cookie: `patchbay_session=${value}` })).statusCode, 401);
  });

  test('connects an account in the same browser, for its own team', async () => {
    const { cookie } = await openPage('connecting', { user: 'ann' });
    const begun = await flow.get('/connect/github', { cookie });
    assert.equal(begun.statusCode, 302);
    const back = flow.consent(String(begun.headers['location']));
    const bound = `${cookie}; ${cookiesOf(begun.headers['set-cookie'])}`;
    const arrived = await flow.get(back, { cookie: bound, accept: 'text/html' });
    assert.equal(arrived.statusCode, 303, arrived.body);
    assert.equal(arrived.headers['location'], '/connect?provider=github&outcome=connected');
    const shown = await flow.get(String(arrived.headers['location']), { cookie });
    assert.match(shown.body, /GitHub is connected/);
    assert.equal(await flow.statusOf(asCustomer('connecting')), 'connected');
  });

  test('does not send a browser to the provider because another site says so', async () => {
    const { cookie } = await openPage('steered');
    for (const site of ['cross-site', 'same-site']) {
      const answer = await flow.get('/connect/github', { cookie, 'sec-fetch-site': site });
      assert.deepEqual([answer.statusCode, answer.headers['location']], [303, '/connect'], site);
    }
  });

  test('offers only the providers of its session', async () => {
    const { cookie } = await openPage('few', { providers: ['gitlab'] });
    const { body } = await flow.get('/connect', { cookie });
    assert.match(body, /GitLab/);
    assert.doesNotMatch(body, /GitHub/);
    assert.equal((await flow.get('/connect/github', { cookie })).statusCode, 403);
    assert.equal((await flow.get('/connect/github/disconnect', { cookie })).statusCode, 403);
  });

  test('disconnects only with the token of its own form', async () => {
    const { cookie, ...session } = await openPage('leaving');
    const { authorizationUrl, cookie: bound } = await flow.begin(session);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie: bound }));
    const { cookie: other } = await openPage('leaving', { user: 'other' });
    const tokenOn = async (page: string) =>
      /name="_csrf" value="([^"]+)"/.exec((await flow.get('/connect/github/disconnect', { cookie: page })).body)?.[1];
    const submit = (csrf: string | undefined) =>
      flow.stage.server.inject({
        method: 'POST',
        url: '/connect/github/disconnect',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: csrf === undefined ? '' : `_csrf=${csrf}`,
      });
    assert.equal((await submit(undefined)).statusCode, 400);
    assert.equal((await submit('x')).statusCode, 403);
    assert.equal((await submit(await tokenOn(other))).statusCode, 403);
    assert.equal(await flow.statusOf(session), 'connected');
    assert.equal((await submit(await tokenOn(cookie))).statusCode, 303);
    assert.equal(await flow.statusOf(session), 'disconnected');
  });

  test('ends with its session', async () => {
    const { cookie } = await openPage('ending');
    flow.clock.advance(901_000);
    for (const url of ['/connect', '/connect/github', '/connect/github/disconnect'])
      assert.equal((await flow.get(url, { cookie })).statusCode, 401, url);
  });
});
