import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookiesOf, expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('the hosted page', (engine) => {
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

  /** Where a link on the page leads. */
  const linkOn = async (cookie: string, path: RegExp): Promise<string> => {
    const { body } = await flow.get('/connect', { cookie });
    const link = [...body.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    return link.find((href) => path.test(href)) ?? assert.fail(`No link like ${path}.`);
  };
  const CONNECT = /^\/connect\/github\?/;
  const DISCONNECT = /^\/connect\/github\/disconnect\?/;

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

  test('opens again from the same link only in the browser that opened it', async () => {
    await putCustomer(flow.stage, 'again');
    const { page } = await createConnectSession(flow.stage, 'again');
    const cookie = cookiesOf((await redeem(ticketOf(page))).headers['set-cookie']);
    const again = await flow.get(page, { cookie });
    assert.deepEqual([again.statusCode, again.headers['location']], [303, '/connect']);
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 200);

    const { cookie: other } = await openPage('again', { user: 'other' });
    const [credential = '', digest = ''] = cookie.split('.');
    const forged = [other, credential, `patchbay_page=.${digest}`, `patchbay_page=x.${digest}`];
    for (const headers of [{}, ...forged.map((value) => ({ cookie: value }))])
      assert.equal((await flow.get(page, headers)).statusCode, 410, JSON.stringify(headers));
    assert.equal((await redeem(ticketOf(page), { cookie })).statusCode, 410, 'The ticket itself works once.');
    const mixed = `${other.split('.')[0]}.${digest}`;
    const shown = await flow.get('/connect', { cookie: mixed });
    assert.match(shown.body, /other/, 'The digest opens nothing.');

    flow.clock.advance(901_000);
    assert.equal((await flow.get(page, { cookie })).statusCode, 410);
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
    const begun = await flow.get(await linkOn(cookie, CONNECT), { cookie });
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
      const answer = await flow.get(await linkOn(cookie, CONNECT), { cookie, 'sec-fetch-site': site });
      assert.deepEqual([answer.statusCode, answer.headers['location']], [303, '/connect'], site);
    }
  });

  test('replaces nothing because another site says so', async () => {
    const { cookie } = await openPage('replaced');
    const link = `${await linkOn(cookie, CONNECT)}&replace=true`;
    const answer = await flow.get(link, { cookie, 'sec-fetch-site': 'cross-site' });
    assert.deepEqual([answer.statusCode, answer.headers['location']], [303, '/connect']);
    const stale = link.replace(/page=[^&]+/, 'page=another');
    assert.equal((await flow.get(stale, { cookie })).headers['location'], '/connect');
  });

  test('offers only the providers of its session', async () => {
    const { cookie } = await openPage('few', { providers: ['gitlab'] });
    const { body } = await flow.get('/connect', { cookie });
    assert.match(body, /GitLab/);
    assert.doesNotMatch(body, /GitHub/);
    assert.equal((await flow.get('/connect/github', { cookie })).statusCode, 403);
    assert.equal((await flow.get('/connect/github/disconnect', { cookie })).statusCode, 403);
    assert.equal((await flow.get('/connect/github/add', { cookie })).statusCode, 403);
  });

  test('disconnects only with the token of its own form', async () => {
    const { cookie, ...session } = await openPage('leaving');
    const { authorizationUrl, cookie: bound } = await flow.begin(session);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie: bound }));
    const { cookie: other } = await openPage('leaving', { user: 'other' });
    const tokenOn = async (page: string) => {
      const { body } = await flow.get(await linkOn(page, DISCONNECT), { cookie: page });
      return /name="_csrf" value="([^"]+)"/.exec(body)?.[1];
    };
    const submit = async (csrf: string | undefined) =>
      flow.stage.server.inject({
        method: 'POST',
        url: await linkOn(cookie, DISCONNECT),
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

  test('does nothing from a tab whose session another one has replaced', async () => {
    const first = await openPage('tab-one');
    const stale = await linkOn(first.cookie, CONNECT);
    await putCustomer(flow.stage, 'tab-two');
    const second = await createConnectSession(flow.stage, 'tab-two', { user: 'ann' });
    const shown = await flow.get(second.page, { cookie: first.cookie });
    assert.match(shown.body, /already open in this browser[^.]*The team of tab-one/);
    const { cookie } = await openPage('tab-two');
    for (const url of [stale, '/connect/github', '/connect/github/add', '/connect/github/disconnect'])
      assert.deepEqual(
        await flow.get(url, { cookie }).then(({ statusCode, headers }) => [statusCode, headers['location']]),
        [303, '/connect'],
        url,
      );
  });

  test('names another user whose open page it would replace, even in the same team', async () => {
    const { cookie } = await openPage('shared', { user: 'ann' });
    const isWarned = async (user: string): Promise<boolean> => {
      const { page } = await createConnectSession(flow.stage, 'shared', { user });
      const { statusCode, body } = await flow.get(page, { cookie });
      assert.equal(statusCode, 200);
      return /already open in this browser for <strong>ann</.test(body);
    };
    assert.deepEqual([await isWarned('bob'), await isWarned('ann')], [true, false]);
  });

  test('leaves a trace when it is opened', async () => {
    await openPage('traced', { user: 'ann' });
    const { events } = (await flow.get('/api/audit', asCustomer('traced').headers)).json();
    const opened = events.find(({ action }: { action: string }) => action === 'connect_session.open');
    assert.equal(opened.actor.kind, 'user');
    assert.equal(opened.address, '127.0.0.1');
  });

  test('ends when the operator says so, and so does the token', async () => {
    const { cookie, headers } = await openPage('ended', { user: 'ann' });
    const url = '/api/operator/teams/ended/sessions?user=ann';
    const end = () => flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR });
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 200);
    assert.equal((await flow.get('/api/integrations/status', headers)).statusCode, 200);
    assert.equal((await end()).statusCode, 204);
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401);
    assert.equal((await flow.get('/api/integrations/status', headers)).statusCode, 401);
    assert.equal((await end()).statusCode, 204, 'It can be repeated.');
  });

  test('has a cookie that is hidden from scripts and other sites, and ends with its session', async () => {
    await putCustomer(flow.stage, 'timed');
    const { page, expiresAt } = await createConnectSession(flow.stage, 'timed');
    flow.clock.advance(300_000);
    const { headers } = await redeem(ticketOf(page));
    const [cookie = '', ...attributes] = String(headers['set-cookie']).split('; ');
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax']);
    assert.equal(flow.clock.now() + 600_000, Date.parse(expiresAt));
    flow.clock.advance(599_000);
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 200);
    flow.clock.advance(1_000);
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401, 'Opening it has not prolonged it.');
  });

  test('ends with its session', async () => {
    const { cookie } = await openPage('ending');
    flow.clock.advance(901_000);
    for (const url of ['/connect', '/connect/github', '/connect/github/add', '/connect/github/disconnect'])
      assert.equal((await flow.get(url, { cookie })).statusCode, 401, url);
  });
});
