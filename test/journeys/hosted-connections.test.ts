import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, cookiesOf, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { linkIn } from '../harness/page-visits.ts';
import type { ConsentOptions } from '../harness/provider-simulator/give-consent.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('the hosted page with several connections', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, zendesk: {} } }));

  const openPage = async (key: string, options: { providers?: string[] } = {}) => {
    const { id } = await putCustomer(flow.stage, key);
    const { page } = await createConnectSession(flow.stage, key, options);
    const redeemed = await flow.stage.server.inject({
      method: 'POST',
      url: '/connect',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: page.slice(page.indexOf('ticket=')),
    });
    assert.equal(redeemed.statusCode, 303, redeemed.body);
    const cookie = cookiesOf(redeemed.headers['set-cookie']);
    const read = async (path: string): Promise<string> => (await flow.get(path, { ...BROWSER, cookie })).body;
    /** From a link on the page to the page that the person sees after the consent. */
    const follow = async (link: string, options: ConsentOptions): Promise<string> => {
      const begun = await flow.get(link, { ...BROWSER, cookie });
      assert.equal(begun.statusCode, 302, begun.body);
      const bound = `${cookie}; ${cookiesOf(begun.headers['set-cookie'])}`;
      const back = flow.consent(String(begun.headers.location), options);
      const arrived = await flow.get(back, { ...BROWSER, cookie: bound });
      assert.equal(arrived.statusCode, 303, arrived.body);
      return read(String(arrived.headers.location));
    };
    /** The link to connect GitHub, under this name. */
    const connectLink = async (connection = 'default'): Promise<string> =>
      linkIn(await read('/connect'), /(?:Connect|Reconnect) GitHub"/).replace(
        'connection=default',
        `connection=${connection}`,
      );
    const listAccounts = async () =>
      (
        await flow.stage.app.database.all<{ name: string; account: string }>(
          'select name, account_id as account from connections where team_id = $1 order by name',
          [id],
        )
      ).map(({ name, account }) => `${name} ${account}`);
    /** The form behind a link, filled in. */
    const fill = (link: string, fields: Record<string, string>) => {
      const { pathname, searchParams } = new URL(link, 'http://localhost');
      for (const [name, value] of Object.entries(fields)) searchParams.set(name, value);
      return flow.get(`${pathname}?${searchParams}`, { ...BROWSER, cookie });
    };
    return { cookie, read, follow, connectLink, listAccounts, fill };
  };

  test('says what to do about a provider that is not set up', async () => {
    const { read } = await openPage('not-set-up', { providers: ['github', 'slack'] });
    const page = await read('/connect');
    assert.match(page, /<h2>GitHub<\/h2>.*<h2>Slack<\/h2>\s*<p>Not available yet, because it isn’t set up\./s);
    assert.match(page, /set OAUTH_SLACK_CLIENT_ID and OAUTH_SLACK_CLIENT_SECRET, then restart it/);
    assert.doesNotMatch(page, /OAUTH_GITHUB/);
    assert.match(await (await openPage('only-that', { providers: ['slack'] })).read('/connect'), /Not available yet/);
  });

  test('asks for a reconnect only if the connection needs one', async () => {
    const { read, follow, connectLink } = await openPage('healthy');
    const kindOf = async (): Promise<string | undefined> =>
      /class="([^"]+)" href="[^"]+" aria-label="(?:Connect|Reconnect) GitHub"/.exec(await read('/connect'))?.[1];
    assert.equal(await kindOf(), 'button');
    await follow(await connectLink(), { account: 'octocat' });
    assert.equal(await kindOf(), 'button plain');
    const set = (status: string) => flow.stage.app.database.run('update connections set status = $1', [status]);
    await set('degraded');
    assert.equal(await kindOf(), 'button plain');
    await set('needs_reconnect');
    assert.equal(await kindOf(), 'button');
  });

  test('shows and changes each of them on its own', async () => {
    const { cookie, read, follow, connectLink, listAccounts } = await openPage('several');
    assert.match(await follow(await connectLink(), { account: 'octocat' }), /GitHub is/);
    assert.match(await follow(await connectLink('work'), { account: 'hubot' }), /GitHub \(work\) is connected\./);
    assert.deepEqual(await listAccounts(), ['default octocat', 'work hubot']);
    const page = await read('/connect');
    assert.match(page, /<h2>GitHub<\/h2>.*octocat.*<h2>GitHub \(work\)<\/h2>.*hubot/s);

    const away = linkIn(page, /Disconnect GitHub \(work\)/);
    const question = await read(away);
    assert.match(question, /Disconnect GitHub \(work\)\?.*hubot/s);
    const csrfToken = /name="_csrf" value="([^"]+)"/.exec(question)?.[1] ?? '';
    const done = await flow.stage.server.inject({
      method: 'POST',
      url: away,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
    });
    assert.equal(done.statusCode, 303, done.body);
    assert.deepEqual(await listAccounts(), ['default octocat']);
  });

  test('never replaces an account without asking, and says that nothing has changed', async () => {
    const { follow, connectLink, listAccounts } = await openPage('careful');
    await follow(await connectLink(), { account: 'octocat' });
    const reconnect = await connectLink();
    assert.match(
      await follow(reconnect, { account: 'stranger' }),
      /GitHub hasn’t changed, because you chose a different/,
    );
    assert.match(await follow(reconnect, { deny: true }), /GitHub hasn’t changed, because access was declined\./);
    assert.deepEqual(await listAccounts(), ['default octocat']);
    assert.match(await follow(reconnect, { account: 'octocat' }), /GitHub is connected\./);
    const wrong = await flow.get('/connect/github?connection=No%20Way', BROWSER);
    assert.equal(wrong.statusCode, 400);
    assert.match(wrong.body, /This link isn’t valid.*href="\/connect"/s);
  });

  test('adds a second account under a name', async () => {
    const { read, follow, connectLink, listAccounts, fill } = await openPage('adding');
    assert.doesNotMatch(await read('/connect'), /Add another/);
    await follow(await connectLink(), { account: 'octocat' });
    const add = linkIn(await read('/connect'), /Add another GitHub account/);
    assert.match(await read(add), /<label for="connection">Name<\/label>/);
    for (const [name, flaw] of [
      ['', /The name must be/],
      ['Ünï', /The name must be/],
      ['a'.repeat(41), /The name must be/],
    ] as const) {
      const refused = await fill(add, { connection: name });
      assert.equal(refused.statusCode, 400, name);
      assert.match(refused.body, flaw);
    }
    const asked = await fill(add, { connection: ' Side Project ' });
    assert.equal(asked.statusCode, 200, asked.body);
    assert.match(asked.body, /Name: <strong>side-project<\/strong>/);
    const shown = await follow(linkIn(asked.body, /Continue to GitHub/), { account: 'hubot' });
    assert.match(shown, /GitHub \(side-project\) is connected\./);
    assert.deepEqual(await listAccounts(), ['default octocat', 'side-project hubot']);
    assert.equal(shown.match(/Add another GitHub account/g)?.length, 1);
  });

  test('replaces an account if the person says so', async () => {
    const { read, follow, connectLink, listAccounts, fill } = await openPage('replacing');
    await follow(await connectLink(), { account: 'octocat' });
    const kept = await follow(await connectLink(), { account: 'hubot' });
    assert.deepEqual(await listAccounts(), ['default octocat']);
    const question = await read(linkIn(kept, /Replace the account/));
    assert.match(question, /Replace the GitHub account\?.*already an account with this name: octocat/s);
    assert.deepEqual(await listAccounts(), ['default octocat'], 'Asking changes nothing.');
    await follow(linkIn(question, /Continue to GitHub/), { account: 'hubot' });
    assert.deepEqual(await listAccounts(), ['default hubot']);
    const taken = await fill(linkIn(await read('/connect'), /Add another GitHub/), { connection: 'default' });
    assert.match(taken.body, /already an account with this name: hubot/);
  });

  test('asks for what the address of a provider needs', async () => {
    const { cookie, read, fill } = await openPage('asking');
    const connect = linkIn(await read('/connect'), /Connect Zendesk"/);
    const sent = await flow.get(connect, { ...BROWSER, cookie });
    assert.equal(sent.statusCode, 303, sent.body);
    const form = String(sent.headers.location);
    assert.match(await read(form), /<label for="params.subdomain">/);
    const refused = await fill(form, { 'params.subdomain': 'not a name' });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /The subdomain must look like/);
    const asked = await fill(form, { 'params.subdomain': 'acme' });
    const begun = await flow.get(linkIn(asked.body, /Continue to Zendesk/), { ...BROWSER, cookie });
    assert.equal(begun.statusCode, 302, begun.body);
    assert.match(String(begun.headers.location), /^https:\/\/acme\.zendesk\.com\//);
  });
});
