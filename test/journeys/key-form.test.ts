import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createConnectSession, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createBrowser, nextOf, signInToPages } from '../harness/key-browser.ts';
import { openKeysStage, PRODUCT } from '../harness/keys-stage.ts';
import { linkIn } from '../harness/page-visits.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const RETURN_TO = `${PRODUCT}/settings?tab=apps`;

onOneEngine('the form for a key', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  const signIn = () => signInToPages(stage);

  const begin = async (headers: Readonly<Record<string, string>>, provider: string, body: object = {}) => {
    const reply = await stage.ask('POST', `/api/integrations/${provider}/connect`, headers, body);
    assert.equal(reply.status, 200, reply.body);
    return JSON.parse(reply.body);
  };

  test('is where the pages lead, works without a script, and returns to them', async () => {
    const { browser, team, at } = await signIn();
    const list = await browser.get('/integrations');
    assert.match(list.body, /Keyed/);
    const page = await browser.get('/integrations/keyed-basic');
    assert.doesNotMatch(page.body, /OAuth app|Callback URL|[Ss]copes/);
    const { page: form, submit } = await browser.openForm(linkIn(page.body, /Connect/));
    assert.doesNotMatch(form, /style=|<script| on[a-z]+=/);
    assert.match(form, new RegExp(`to the team <strong>${team.name}</strong>`));
    assert.match(form, /name="fields\.username" type="text" value="" required autocomplete="off"/);
    assert.match(form, /name="fields\.password" type="password" value="" required autocomplete="off"/);
    assert.match(form, /href="https:\/\/keyed\.example\/docs" target="_blank" rel="noreferrer"/);
    const { username, password } = stage.newPair('ada');
    const done = await submit({ 'fields.username': ` ${username} `, 'fields.password': `${password}\r\n` });
    assert.equal(done.status, 303, done.body);
    const { location } = done.headers;
    assert.equal(location, '/integrations/keyed-basic?provider=keyed-basic&outcome=connected');
    assert.match((await browser.get(String(location))).body, /Basic is connected as <strong>ada@a\.example/);
    assert.equal((await at.status('keyed-basic')).account?.id, 'ada');
    assert.match(await stage.auditOf(at.headers), /"integration\.connect"/);
  });

  test('says what is wrong, keeps what is not secret, and can be submitted again', async () => {
    const { browser, at } = await signIn();
    const { submit } = await browser.openForm('/api/integrations/keyed-basic/connect');
    const { username, password } = stage.newPair('ada');
    const blank = await submit({ 'fields.username': 'ada', 'fields.password': ' ' });
    assert.equal(blank.status, 400);
    assert.match(blank.body, /class="notice bad" role="alert">.*<p>API key is required\./s);
    assert.match(blank.body, /name="fields\.password"[^>]* aria-invalid="true"/);
    assert.match(blank.body, /name="fields\.username" type="text" value="ada"/);
    const refused = await submit({ 'fields.username': 'ada', 'fields.password': 'canary-wrong' });
    assert.equal(refused.status, 422);
    const told = /class="notice bad" role="alert">(.*?)<\/div>/s.exec(refused.body)?.[1] ?? '';
    assert.match(
      told,
      /couldn’t be connected.*doesn&#39;t accept this key\. Copy the whole key again, or create a new one/s,
    );
    assert.match(refused.body, /name="fields\.password"[^>]* aria-invalid="true"/);
    assert.doesNotMatch(refused.body, /name="fields\.username"[^>]* aria-invalid/);
    assert.ok(!refused.body.includes('canary'));
    stage.api.answer((_, response) => response.writeHead(500).end());
    const away = await submit({ 'fields.username': username, 'fields.password': password });
    assert.equal(away.status, 503);
    assert.equal(away.headers['retry-after'], '5');
    assert.match(away.body, /can&#39;t be reached right now/);
    stage.mend();
    const done = await submit({ 'fields.username': username, 'fields.password': password });
    assert.equal(done.status, 200, 'It returns nowhere, so a page says it.');
    assert.match(done.body, /Basic is connected/);
    assert.equal((await at.status('keyed-basic')).status, 'connected');
  });

  test('asks for what the address needs, and knows it the next time', async () => {
    const { browser, at } = await signIn();
    const page = await browser.get('/integrations/keyed-site');
    const first = await browser.openForm(linkIn(page.body, /Connect/));
    assert.match(first.page, /name="params\.site" type="text" value=""/);
    const wrong = await first.submit({ 'params.site': 'No Site', 'fields.api_key': 'x' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body, /The site must look like &quot;north&quot;\./);
    const key = stage.newKey('ada');
    assert.equal((await first.submit({ 'params.site': 'south', 'fields.api_key': key })).status, 303);
    assert.equal(stage.api.received.at(-1)?.url, '/south/me?full=1');
    stage.endKey(key);
    stage.clock.advance(DAY_MS);
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed-site')).status, 'needs_reconnect');
    const broken = await browser.get('/integrations/keyed-site');
    assert.match(broken.body, /no longer accepts this key/);
    const again = await browser.openForm(linkIn(broken.body, /Enter a new key/));
    assert.match(
      again.page,
      /stored as <strong>ada@a\.example<\/strong> no longer works\.<\/strong> Enter a new one\./,
    );
    assert.match(again.page, /name="params\.site" type="text" value="south"/);
    assert.equal((await again.submit({ 'params.site': 'south', 'fields.api_key': stage.newKey('ada') })).status, 303);
    assert.equal((await at.status('keyed-site')).status, 'connected');
  });

  test('replaces another account only if that was asked for', async () => {
    const { browser, at } = await signIn();
    const connect = async (query: string, key: string) => {
      const { page, submit } = await browser.openForm(`/api/integrations/keyed/connect?returnTo=/x${query}`);
      return { page, location: String((await submit({ 'fields.api_key': key })).headers.location) };
    };
    await connect('', stage.newKey('one'));
    const kept = await connect('&replace=false', stage.newKey('two'));
    assert.match(kept.page, /already connected as <strong>one@a\.example/);
    assert.equal(kept.location, '/x?provider=keyed&outcome=failed&error=integrations.name_taken');
    assert.equal((await at.status('keyed')).account?.id, 'one');
    assert.match(
      (await connect('&connection=work', stage.newKey('two'))).location,
      /connection=work&outcome=connected/,
    );
    assert.deepEqual(await at.names('keyed'), ['default', 'work']);
  });

  test('is what an app gives its user a link to, and the same user finishes it', async () => {
    const { member, at } = await stage.newTeam();
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: stage.newKey('old') } });
    const begun = await begin(member.headers, 'keyed', { returnTo: RETURN_TO });
    assert.equal(begun.authorizationUrl, null);
    assert.deepEqual(begun.replaces, { id: 'old', label: 'old@a.example' });
    assert.deepEqual(Object.keys(begun).sort(), [
      ...['authorizationUrl', 'connectUrl', 'connection', 'expiresAt', 'provider', 'replaces'],
    ]);
    const browser = createBrowser(stage.server);
    const { page, submit } = await browser.openForm(begun.connectUrl);
    const declined = new URL(linkIn(page, /Cancel/));
    assert.equal(declined.origin, PRODUCT);
    assert.equal(declined.searchParams.get('error'), 'integrations.access_denied');
    const parked = await submit({ 'fields.api_key': stage.newKey('new') });
    assert.equal(parked.status, 200, parked.body);
    const back = nextOf(parked.body);
    assert.equal(`${back.origin}${back.pathname}`, `${PRODUCT}/settings`);
    assert.equal(back.searchParams.get('outcome'), 'confirm');
    assert.equal((await at.status('keyed')).account?.id, 'old', 'Nothing has changed yet.');
    const attempt = back.searchParams.get('attempt');
    const asked = stage.verifications();
    const complete = () => stage.ask('POST', '/api/integrations/keyed/complete', member.headers, { attempt });
    const done = await complete();
    assert.equal(done.status, 200, done.body);
    assert.deepEqual(JSON.parse(done.body), {
      ...{ provider: 'keyed', connection: 'default', outcome: 'connected' },
      account: { id: 'new', label: 'new@a.example' },
      previousAccount: { id: 'old', label: 'old@a.example' },
      siteNeeded: false,
    });
    assert.equal(stage.verifications(), asked, 'It was verified before it was parked.');
    assert.equal((await at.status('keyed')).account?.id, 'new');
    assert.equal((await complete()).status, 409);
  });

  test('is finished on a page if it returns nowhere', async () => {
    const { browser, member, at } = await signIn();
    const { connectUrl } = await begin(member.headers, 'keyed');
    const stranger = createBrowser(stage.server);
    const { submit } = await stranger.openForm(connectUrl);
    const parked = await submit({ 'fields.api_key': stage.newKey() });
    assert.match(parked.body, /Only they can finish it\./);
    const [, finish = ''] = /returnTo=([^"]+)"/.exec(parked.body) ?? [];
    const question = await browser.get(decodeURIComponent(finish));
    const [, csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(question.body) ?? [];
    const [, attempt = ''] = /name="attempt" value="([^"]+)"/.exec(question.body) ?? [];
    const done = await browser.post('/integrations/keyed/finish', { _csrf: csrf, attempt });
    assert.match(done.body, /Keyed is connected/);
    assert.equal((await at.status('keyed')).status, 'connected');
  });

  test('needs no second step if the browser is signed in as the user who began', async () => {
    const { browser, member, at } = await signIn();
    const { connectUrl } = await begin(member.headers, 'keyed', { returnTo: RETURN_TO });
    const { submit } = await browser.openForm(connectUrl);
    const key = stage.newKey();
    const done = await submit({ 'fields.api_key': key });
    assert.equal(nextOf(done.body).searchParams.get('outcome'), 'connected');
    assert.equal((await at.status('keyed')).status, 'connected');
    const again = await submit({ 'fields.api_key': key });
    assert.equal(nextOf(again.body).searchParams.get('outcome'), 'connected', 'The same outcome again.');
    const other = await submit({ 'fields.api_key': 'something else' });
    assert.equal(other.status, 409, 'It was not stored.');
  });

  test('shows the product to its customers, and a connect session finishes it', async () => {
    const key = `form-${engine}-${stage.app.newId()}`;
    await putCustomer(stage, key);
    const session = await createConnectSession(stage, key, { providers: ['keyed'], returnTo: RETURN_TO });
    const { connectUrl } = await begin(session.headers, 'keyed');
    const browser = createBrowser(stage.server);
    const { page, submit } = await browser.openForm(connectUrl);
    assert.match(page, /<title>Connect Keyed · Northwind<\/title>/);
    assert.match(page, new RegExp(`The team of ${key}`));
    assert.doesNotMatch(page, /Patchbay/);
    const parked = await submit({ 'fields.api_key': stage.newKey('ada') });
    assert.match(parked.body, /Northwind/);
    const attempt = nextOf(parked.body).searchParams.get('attempt');
    const done = await stage.ask('POST', '/api/integrations/keyed/complete', session.headers, { attempt });
    assert.equal(done.status, 200, done.body);
    assert.equal(JSON.parse(done.body).account.id, 'ada');
  });

  test('is part of the hosted page', async () => {
    const key = `hosted-${engine}-${stage.app.newId()}`;
    await putCustomer(stage, key);
    const session = await createConnectSession(stage, key, { providers: ['keyed', 'keyed-site'] });
    const browser = createBrowser(stage.server);
    const ticket = new URL(session.page, 'http://localhost').searchParams.get('ticket') ?? '';
    assert.equal((await browser.post('/connect', { ticket })).status, 303);
    const list = await browser.get('/connect');
    const { submit } = await browser.openForm(linkIn(list.body, /Connect Site/));
    const done = await submit({ 'params.site': 'north', 'fields.api_key': stage.newKey('ada') });
    assert.equal(done.status, 303, done.body);
    assert.equal(done.headers.location, '/connect?provider=keyed-site&outcome=connected');
    assert.match((await browser.get(String(done.headers.location))).body, /Site is connected\..*ada@a\.example/s);
    const more = await browser.get(linkIn((await browser.get('/connect')).body, /Add another Site account/));
    assert.doesNotMatch(more.body, /params\.site/);
  });

  test('is refused scopes, which keys do not have, and params that cannot be', async () => {
    const { member } = await stage.newTeam();
    const refuse = (body: object) => stage.ask('POST', '/api/integrations/keyed-site/connect', member.headers, body);
    assert.equal(problemIn(await refuse({ scopes: ['a'] })), 'integrations.scopes_invalid');
    assert.equal(problemIn(await refuse({ params: { site: '../' } })), 'integrations.params_invalid');
    assert.equal(problemIn(await refuse({ returnTo: 'https://evil.example' })), 'integrations.return_refused');
  });
});
