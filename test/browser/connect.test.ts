import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { waitUntil } from '../harness/wait-until.ts';
import { walkSandbox } from '../harness/walk-sandbox.ts';
import {
  ADMIN_TOKEN,
  accountsOf,
  decide,
  listenFor,
  OPERATOR_TOKEN,
  openConnectStage,
  popupOf,
  type Told,
  toldOn,
  waitFor,
} from './connect-stage.ts';
import { findViolations } from './find-violations.ts';
import { KEY } from './secluded-provider.ts';

/** The sandbox's account, as if its grant had ended. */
const lose =
  (lost: object) =>
  (entry: { provider: string }): object =>
    entry.provider === 'sandbox' ? { ...entry, ...lost } : entry;

describe('/connect.js on the page of a product', () => {
  let stage: Awaited<ReturnType<typeof openConnectStage>>;
  before(async () => {
    stage = await openConnectStage();
  });
  after(() => stage?.close());

  const open = async (context: BrowserContext, path: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${stage.product.origin}${path}`);
    return page;
  };

  const lookOf = (page: Page) => page.waitForResponse(/\/api\/integrations\/status$/);

  /** Once its buttons have asked what is connected. */
  const openAware = async (context: BrowserContext, path: string): Promise<Page> => {
    const page = await context.newPage();
    await Promise.all([lookOf(page), page.goto(`${stage.product.origin}${path}`)]);
    return page;
  };

  const openOwn = async (context: BrowserContext, options: object): Promise<Page> => {
    const page = await open(context, '/own');
    await waitFor(page, 'window.ready');
    await page.evaluate(`window.options = ${JSON.stringify(options)}`);
    return page;
  };

  const go = (page: Page): Promise<Page> => popupOf(page, () => page.locator('#go').click());
  const press = (page: Page): Promise<Page> =>
    popupOf(page, () => page.getByRole('button', { name: 'Connect your account' }).click());

  test('a button connects an account under a policy that names only the script', async () => {
    const { team, context } = await stage.begin();
    const page = await open(context, '/button');
    await listenFor(page, 'patchbay-connected');
    const popup = await press(page);
    assert.equal(await page.locator('patchbay-connect').getAttribute('state'), 'connecting');
    assert.deepEqual(await findViolations(page), []);
    const closed = popup.waitForEvent('close');
    await decide(popup, 'Allow');
    const { outcome, account } = await toldOn(page);
    assert.equal(outcome, 'connected');
    assert.match(await page.getByRole('status').innerText(), new RegExp(`Connected as ${account?.label}`));
    await closed;
    assert.deepEqual(await accountsOf(team), ['sandbox default']);
    assert.deepEqual(await findViolations(page), []);
    assert.equal(page.url(), `${stage.product.origin}/button`);
    await context.close();
  });

  test('a button says that access was declined, and tries again', async () => {
    const { team, context } = await stage.begin();
    const page = await open(context, '/button');
    await listenFor(page, 'patchbay-failed');
    await decide(await press(page), 'Deny');
    assert.equal((await toldOn(page)).code, 'integrations.access_denied');
    assert.equal(await page.getByRole('status').innerText(), 'Access was declined.');
    await decide(await press(page), 'Allow');
    await page.locator('patchbay-connect[state="connected"]').waitFor();
    assert.deepEqual(await accountsOf(team), ['sandbox default']);
    await context.close();
  });

  test('a button says which account is connected after a reload, and disconnects it', async () => {
    const { team, context } = await stage.begin();
    const page = await open(context, '/button');
    const status = page.getByRole('status');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await decide(await press(page), 'Allow');
    await button('Disconnect').waitFor();
    const connected = await status.innerText();
    assert.match(connected, /^Connected as \S+@\S+\.$/);

    await page.reload();
    await button('Disconnect').waitFor();
    assert.equal(await status.innerText(), connected);
    assert.equal(await button('Connect your account').count(), 0);
    assert.deepEqual(await findViolations(page), []);
    await decide(await popupOf(page, () => button('Reconnect').click()), 'Allow');
    await waitUntil('it is connected again', async () => (await status.innerText()) === connected);

    await listenFor(page, 'patchbay-disconnected');
    await button('Disconnect').click();
    assert.equal(await status.innerText(), connected.replace('Connected as', 'Disconnect').replace(/\.$/, '?'));
    assert.deepEqual(await findViolations(page), []);
    await button('Cancel').click();
    assert.equal(await status.innerText(), connected);
    assert.deepEqual(await accountsOf(team), ['sandbox default']);
    await button('Disconnect').click();
    await button('Disconnect').click();
    const told = { provider: 'sandbox', connection: 'default', status: 'disconnected', revocation: 'revoked' };
    assert.deepEqual(await toldOn(page), told);
    assert.equal(await page.locator('patchbay-connect[state="idle"]').count(), 1);
    assert.equal(await page.evaluate('document.activeElement.shadowRoot.activeElement.part.value'), 'button');
    assert.deepEqual(await accountsOf(team), []);
    await page.reload();
    await button('Connect your account').waitFor();
    assert.equal(await status.innerText(), '');
    await context.close();
  });

  test('a button tells the page that another account has taken the place of the one before', async () => {
    const { context } = await stage.begin();
    const page = await open(context, '/button');
    await listenFor(page, 'patchbay-connected');
    await decide(await press(page), 'Allow');
    assert.equal((await toldOn(page)).previousAccount, null);
    const popup = await popupOf(page, () => page.getByRole('button', { name: 'Reconnect' }).click());
    await decide(popup, 'Allow', /Second account/);
    const { account, previousAccount } = await toldOn(page, 1);
    assert.equal(account?.label, 'second-account@sandbox.test');
    assert.deepEqual(previousAccount, { id: 'sandbox-1', label: 'first-account@sandbox.test' });
    await context.close();
  });

  test('until a button knows, it shows what the page says', async () => {
    const { context } = await stage.begin();
    const release = stage.product.holdSessions();
    const page = await open(context, '/button?account=ann@example.com');
    const names = () => page.getByRole('button').allInnerTexts();
    await page.getByText('Connected as ann@example.com.').waitFor();
    assert.deepEqual(await names(), ['Reconnect']);
    release();
    await page.locator('patchbay-connect[state="idle"]').waitFor();
    assert.deepEqual(await names(), ['Connect your account']);

    await page.route('**/api/integrations/status', async (route) => {
      const response = await route.fetch();
      const { integrations, ...status } = await response.json();
      const lost = { status: 'needs_reconnect', account: { id: '1', label: 'bob@example.com' } };
      await route.fulfill({ response, json: { ...status, integrations: integrations.map(lose(lost)) } });
    });
    await page.reload();
    await page.getByText('bob@example.com needs to be reconnected.').waitFor();
    assert.deepEqual(await names(), ['Reconnect', 'Disconnect']);
    await context.close();
  });

  test('a button offers nothing that its session is not for', async () => {
    const { team, context } = await stage.begin();
    const first = await open(context, '/button');
    await decide(await press(first), 'Allow');
    await first.getByText('Connected as').waitFor();
    stage.product.signIn(await team.createSession({ user: { key: 'u1' }, providers: ['secluded'] }));
    const looked = lookOf(first);
    await first.reload();
    const { integrations } = (await (await looked).json()) as { integrations: { provider: string }[] };
    assert.deepEqual([...new Set(integrations.map(({ provider }) => provider))], ['secluded']);
    await first.getByRole('button', { name: 'Connect your account' }).waitFor();
    assert.equal(await first.getByRole('status').innerText(), '');
    await context.close();
  });

  test('buttons ask by themselves only for what they may show, and all of them once', async () => {
    const { context } = await stage.begin();
    const requestedBefore = stage.product.requested.length;
    const page = await openAware(context, '/button');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const add = (attributes: Record<string, string>, count = 1) =>
      page.evaluate(`for (let made = 0; made < ${count}; made++) {
        const button = document.createElement('patchbay-connect');
        for (const [name, value] of ${JSON.stringify(Object.entries(attributes))}) button.setAttribute(name, value);
        document.body.append(button);
      }`);
    await add({ 'session-url': '/session', url: stage.product.elsewhere });
    await add({ 'session-url': `${stage.product.elsewhere}/session` });
    await add({ 'session-url': '/items/7/delete' });
    const looked = lookOf(page);
    await add({ 'session-url': '/session?of=0', provider: 'sandbox' }, 5);
    await looked;
    assert.deepEqual(asked.sort(), ['GET /api/integrations/status', 'GET /items/7/delete', 'GET /session']);
    const posted = stage.product.requested.slice(requestedBefore).filter((request) => request.startsWith('POST'));
    assert.deepEqual(posted, []);
    await context.close();
  });

  test('a blocked popup becomes the whole page, which comes back and finishes', async () => {
    const { team, context, session } = await stage.begin();
    // It begins without a click, so the browser allows no popup.
    const page = await open(context, '/own?session');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    assert.equal(context.pages().length, 1);
    await decide(page, 'Allow');
    await page.waitForURL(/\/return/);
    const { outcome, account } = await toldOn(page);
    assert.deepEqual([outcome, page.url()], ['connected', `${stage.product.origin}/return?mine=1`]);
    assert.match(account?.label ?? '', /@/);
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    assert.deepEqual(await accountsOf(team), ['sandbox default']);
    assert.ok(session.token.startsWith('pbs_'));
    await context.close();
  });

  test('on a page without popups, the right one of several buttons gets what comes back', async () => {
    const { team, context, session } = await stage.begin();
    const other = await stage.newCustomer();
    stage.product.signIn(session, other.session);
    await context.addInitScript('window.open = () => null');
    const page = await open(context, '/buttons');
    const press = (name = 'Customer 1') => page.getByRole('button', { name }).click();
    await press();
    await decide(page, 'Deny');
    await page.getByText('Access was declined.').waitFor();
    const states = () =>
      page.locator('patchbay-connect').evaluateAll((found) => found.map((one) => one.getAttribute('state')));
    assert.deepEqual(await states(), ['idle', 'failed']);
    await press();
    await decide(page, 'Allow');
    await page.getByText('Connected as').waitFor();
    assert.deepEqual(await states(), ['idle', 'connected']);
    assert.equal(page.url(), `${stage.product.origin}/buttons`);
    assert.deepEqual([await accountsOf(team), await accountsOf(other.team)], [[], ['sandbox default']]);

    await press('Reconnect');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.goBack({ waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Reconnect' }).waitFor();
    await waitUntil('it is given up', async () => !(await states()).includes('connecting'));
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await context.close();
  });

  test('one page connects the same provider for two customers at the same time', async () => {
    const { team, context, session } = await stage.begin();
    const other = await stage.newCustomer();
    stage.product.signIn(session, other.session);
    const page = await open(context, '/buttons');
    const popups: Page[] = [];
    for (const name of ['Customer 0', 'Customer 1'])
      popups.push(await popupOf(page, () => page.getByRole('button', { name }).click()));
    for (const popup of popups) await decide(popup, 'Allow');
    await waitUntil('both are connected', async () => (await page.getByText('Connected as').count()) === 2);
    for (const customer of [team, other.team]) assert.deepEqual(await accountsOf(customer), ['sandbox default']);
    await context.close();
  });

  test('whoever closed the popup begins again with another click', async () => {
    const { team, context, session } = await stage.begin();
    const page = await openOwn(context, { session });
    const closed = await go(page);
    await closed.getByRole('button', { name: 'Allow' }).waitFor();
    await closed.close();
    await page.waitForTimeout(1_000);
    await decide(await go(page), 'Allow');
    assert.equal((await toldOn(page)).code, 'connect.canceled');
    assert.equal((await toldOn(page, 1)).outcome, 'connected');
    assert.deepEqual(await accountsOf(team), ['sandbox default']);
    await context.close();
  });

  test('a canceled flow ends at once, and what comes back later changes nothing', async () => {
    const { team, context } = await stage.begin();
    const page = await open(context, '/button');
    await listenFor(page, 'patchbay-canceled');
    const popup = await press(page);
    await popup.getByRole('button', { name: 'Allow' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await toldOn(page)).code, 'connect.canceled');
    assert.equal(await page.locator('patchbay-connect').getAttribute('state'), 'idle');
    await decide(popup, 'Allow');
    await popup.getByText('You can close this window.').waitFor();
    assert.deepEqual(await accountsOf(team), []);

    const own = await openOwn(context, {});
    await own.evaluate('options.session = () => new Promise(() => {})');
    const waiting = await go(own);
    await own.evaluate('connecting.cancel()');
    assert.equal((await toldOn(own)).code, 'connect.canceled', 'While it waits for a session, too.');
    await waitUntil('the popup is closed', () => waiting.isClosed());
    await context.close();
  });

  test('a provider that cuts off its opener is connected all the same', async () => {
    const { team, context, session } = await stage.begin();
    await context.addInitScript(`{
      const original = window.open;
      window.open = (...args) => {
        const popup = original.apply(window, args);
        queueMicrotask(() => { window.openers = [popup.opener]; });
        return popup;
      };
    }`);
    const page = await openOwn(context, { session: session.token, provider: 'secluded', connection: 'work' });
    const popup = await go(page);
    assert.deepEqual(await page.evaluate('openers'), [null], 'From the beginning.');
    const link = popup.getByRole('link', { name: 'Allow' });
    await link.waitFor();
    assert.deepEqual(await page.evaluate('told'), []);
    await link.click();
    assert.deepEqual(await toldOn(page), {
      ...{ provider: 'secluded', connection: 'work', outcome: 'connected' },
      account: { id: '7', label: 'hermit' },
      previousAccount: null,
      siteNeeded: false,
    });
    assert.deepEqual(await accountsOf(team), ['secluded work']);
    await context.close();
  });

  test('a provider that takes a key is connected by the same button', async () => {
    const { team, context } = await stage.begin();
    const page = await open(context, '/button?show=keyed');
    const declined = await press(page);
    await declined.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('Access was declined.').waitFor();
    const popup = await press(page);
    const enter = async (key: string): Promise<void> => {
      await popup.getByLabel('API key').fill(key);
      await popup.getByRole('button', { name: 'Connect Keyed' }).click();
    };
    await enter('wrong');
    await popup.getByRole('alert').waitFor();
    await enter(KEY);
    await page.getByText('Connected as hermit.').waitFor();
    assert.deepEqual(await accountsOf(team), ['keyed default']);
    assert.deepEqual(
      stage.addresses.filter((address) => address.includes(KEY)),
      [],
    );
    await context.close();
  });

  test('two tabs connect two accounts at the same time', async () => {
    const { team, context, session } = await stage.begin();
    const first = await openOwn(context, { session, connection: 'first' });
    const second = await openOwn(context, { session, connection: 'second' });
    const popups = [await go(first), await go(second)] as const;
    await decide(popups[1], 'Allow', /Second account/);
    assert.equal((await toldOn(second)).connection, 'second');
    assert.deepEqual(await first.evaluate('told'), []);
    await decide(popups[0], 'Allow', /First account/);
    assert.equal((await toldOn(first)).connection, 'first');
    assert.deepEqual(await accountsOf(team), ['sandbox first', 'sandbox second']);
    await context.close();
  });

  test('a double click is one flow', async () => {
    const { team, context, session } = await stage.begin();
    const page = await openOwn(context, { session });
    const begun: string[] = [];
    context.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/connect')) begun.push(request.url());
    });
    const popup = await popupOf(page, () => page.locator('#go').dblclick({ delay: 20 }));
    await decide(popup, 'Allow');
    await waitFor(page, 'told.length === 2');
    const [one, other] = (await page.evaluate('told')) as Told[];
    assert.deepEqual(one, other);
    assert.deepEqual([begun.length, context.pages().length], [1, 1]);
    assert.deepEqual(await accountsOf(team), ['sandbox default']);
    await context.close();
  });

  test('a session that has ended connects nothing, before and after the provider', async () => {
    const { team, context, session } = await stage.begin();
    const page = await openOwn(context, { session });
    const popup = await go(page);
    await popup.getByRole('button', { name: 'Allow' }).waitFor();
    const { status } = await fetch(`${stage.url}/api/operator/teams/${team.key}/sessions?user=u1`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    assert.equal(status, 204);
    await decide(popup, 'Allow');
    // Whoever is at this browser now isn't led back to the product.
    await popup.getByText('has been ended since').waitFor();
    assert.deepEqual(await page.evaluate('told'), []);

    const again = await openOwn(context, { session });
    const refused = await go(again);
    const late = await toldOn(again);
    assert.deepEqual([late.code, late.status], ['http.unauthorized', 401]);
    assert.match(late.requestId ?? '', /^[\w-]{36}$/);
    await waitUntil('the popup is closed', () => refused.isClosed());
    assert.deepEqual(await accountsOf(team), []);
    await context.close();
  });

  test('a flow that nobody finishes ends with its session', async () => {
    const { context, session } = await stage.begin();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${stage.product.origin}/own`);
    await waitFor(page, 'window.ready');
    const expiresAt = new Date(Date.now() + 120_000).toISOString();
    await page.evaluate(`window.options = ${JSON.stringify({ session: { token: session.token, expiresAt } })}`);
    const popup = await go(page);
    await popup.getByRole('button', { name: 'Allow' }).waitFor();
    await popup.close();
    await page.clock.fastForward(100_000);
    assert.deepEqual(await page.evaluate('told'), []);
    await page.clock.fastForward(30_000);
    assert.equal((await toldOn(page)).code, 'connect.expired');
    await context.close();
  });

  test('a page that guesses, made-up addresses and made-up messages gain nothing', async () => {
    const { team, context, session } = await stage.begin();
    const page = await openOwn(context, { session });
    await page.evaluate(`{
      const Original = BroadcastChannel;
      window.BroadcastChannel = class extends Original { constructor(name) { super(name); window.channel = name; } };
    }`);
    const popup = await go(page);
    await waitFor(page, 'window.channel');
    const id = String(await page.evaluate('channel'));
    assert.match(id, /^patchbay-\w{20,}$/);

    const attempt = 'A'.repeat(43);
    const foreign = await context.newPage();
    await foreign.goto(`${stage.product.elsewhere}/own`);
    await foreign.evaluate(`new BroadcastChannel('${id}').postMessage({ attempt: '${attempt}' })`);
    const made = await open(context, `/return?patchbay=patchbay-guessed&outcome=confirm&attempt=${attempt}&keep=1`);
    const nothing = await open(context, `/return?outcome=confirm&attempt=${attempt}`);
    await page.evaluate(`{
      const channel = new BroadcastChannel('${id}');
      for (const message of [null, 'received', { attempt: 7 }, { attempt: '<b>' }, { error: {} }, { outcome: 'failed' }]) channel.postMessage(message);
    }`);
    assert.equal(made.url(), `${stage.product.origin}/return?keep=1`);
    assert.equal(await toldOn(nothing), null);
    assert.equal((await toldOn(made)).code, 'connect.page_gone');
    assert.deepEqual(await page.evaluate('told'), []);
    await decide(popup, 'Allow');
    assert.equal((await toldOn(page)).outcome, 'connected');
    assert.deepEqual(await accountsOf(team), ['sandbox default']);

    await page.evaluate("window.channel = ''; options.connection = 'other'");
    await go(page);
    await waitFor(page, 'window.channel');
    await page.evaluate("new BroadcastChannel(channel).postMessage({ outcome: 'connected' })");
    assert.equal((await toldOn(page, 1)).code, 'integrations.not_connected');
    await page.evaluate(`tell(begin({ ...options, returnTo: '${stage.product.elsewhere}/return' }))`);
    assert.equal((await toldOn(page, 2)).code, 'connect.return_refused');
    await context.close();
  });

  for (const [path, script] of [
    ['/button', "Patchbay's own script"],
    ['/copied', 'a copy of the script'],
  ] as const)
    test(`someone who can add a button to the page does not get its session, with ${script}`, async () => {
      const { context } = await stage.begin();
      const page = await openAware(context, path);
      await listenFor(page, 'patchbay-failed');
      const complaints = stage.complaints.length;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
      for (const url of [stage.product.elsewhere, 'evil', `${stage.url}.evil.test`, 'javascript:alert(1)']) {
        await page.locator('patchbay-connect').evaluate((button, value) => button.setAttribute('url', value), url);
        await page.getByRole('button', { name: 'Connect your account' }).click();
      }
      assert.equal((await toldOn(page, 3)).code, 'connect.url_refused');
      assert.deepEqual(asked, [], 'Not even a session was created.');
      for (const complaint of stage.complaints.splice(complaints)) assert.match(complaint, /connect\.url_refused/);
      await page.locator('patchbay-connect').evaluate((button, value) => button.setAttribute('url', value), stage.url);
      await decide(await press(page), 'Allow');
      await page.locator('patchbay-connect[state="connected"]').waitFor();
      await context.close();
    });

  test('cookies of other sites are blocked, and no session was ever part of an address', async () => {
    const { context } = await stage.begin();
    const page = await open(context, '/client.js');
    const cookie = `fetch('${stage.product.elsewhere}/cookie', { mode: 'no-cors', credentials: 'include' }).then(() => 1)`;
    await page.evaluate(cookie);
    assert.deepEqual(await context.cookies(), []);
    await page.goto(`${stage.product.elsewhere}/client.js`);
    await page.evaluate(cookie);
    assert.equal((await context.cookies()).length, 1, 'On its own site, it would be kept.');
    await context.close();
    assert.ok(stage.addresses.some((address) => address.includes('attempt=')));
    assert.deepEqual(
      [...stage.addresses, ...stage.product.requested].filter((address) => address.includes('pbs_')),
      [],
    );
  });

  test('the client works in a browser', async () => {
    const { context, session } = await stage.begin();
    await walkSandbox(stage.url, { authorization: `Bearer ${ADMIN_TOKEN}` });
    const page = await open(context, '/client');
    await waitFor(page, 'window.ready');
    const run = (token: string, code: string): Promise<unknown> =>
      page.evaluate(`(async (client) => ${code})(openClient('${token}'))`);
    const { token } = session;
    const sandbox = "integrations.find(({ provider }) => provider === 'sandbox')";
    assert.equal(await run(token, `(await client.integrations.status()).${sandbox}.status`), 'disconnected');
    const begun =
      "(await client.integrations.connect('sandbox', { returnTo: location.origin + '/return' })).connectUrl";
    assert.match(String(await run(token, begun)), /ticket=/);
    assert.equal(await run(token, "(await client.integrations.disconnect('sandbox')).revocation"), 'not_connected');

    await run(token, "tell(client.integrations.token('sandbox'))");
    await run(token, "tell(client.fetch('sandbox', '/me'))");
    await run(ADMIN_TOKEN, "tell(client.fetch('sandbox', '/me', { connection: 'unknown' }))");
    const told = (await page.evaluate('told')) as Told[];
    assert.deepEqual(
      told.map(({ status }) => status),
      [403, 403, 409],
    );
    for (const { requestId } of told) assert.match(requestId ?? '', /^[\w-]{36}$/);

    const contacts = "(await (await client.fetch('sandbox', '/contacts?page=3')).json()).contacts.length";
    assert.equal(await run(ADMIN_TOKEN, contacts), 5);
    // What the provider says about waiting is returned, not thrown.
    const busy = "[(await client.fetch('sandbox', '/busy')).status]";
    assert.deepEqual(await run(ADMIN_TOKEN, busy), [429]);
    await context.close();
  });

  test('no page violates its policy', () => {
    assert.deepEqual(
      stage.complaints.filter((complaint) => !/\b(?:400|401|403|409|422|429)\b/.test(complaint)),
      [],
    );
  });
});
