import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { startConnectStage } from '../harness/connect-flow.ts';
import { createPageVisits, linkIn } from '../harness/page-visits.ts';
import { plainConnection } from '../harness/plain-connection.ts';
import type { ConsentOptions } from '../harness/provider-simulator/give-consent.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

describe('the pages of a provider with several connections', () => {
  const flow = useStage(() => startConnectStage('sqlite', { providers: { github: {}, zendesk: {} } }));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const member = prepare(() => openSession(flow.stage, team.member.user));
  const pages = createPageVisits(flow);

  const read = (path: string, status?: number) => pages.read(path, member, status);

  /** Where the person ends up. */
  const follow = async (link: string, options: ConsentOptions = {}): Promise<string> => {
    const back = await pages.follow(link, member, options);
    assert.equal(back.statusCode, 303, back.body);
    return String(back.headers.location);
  };

  const listAccounts = async () =>
    (
      await flow.stage.app.database.all<{ name: string; account: string }>(
        `select name, account_id as account from connections where provider = 'github' order by name`,
      )
    ).map(({ name, account }) => `${name} ${account}`);

  test('connect a second account under its own name, and show both', async () => {
    await follow(linkIn(await read('/integrations/github'), /Connect</), { account: 'octocat' });
    const page = await read('/integrations/github');
    assert.match(page, /Connect another account/);
    assert.match(page, /<form action="\/integrations\/github\/connect">.*name="connection"/s);
    const nameless = await read('/integrations/github/connect?connection=%20', 400);
    assert.match(nameless, /must be 1 to 40 lowercase letters/, 'Another account needs a name.');
    const asked = await read('/integrations/github/connect?connection=%20Work%20&scopes=read%3Auser');
    assert.match(asked, /<dt>Name<\/dt><dd>work<\/dd>/);
    const spaced = await read('/integrations/github/connect?connection=Billing%20team');
    assert.match(spaced, /<dt>Name<\/dt><dd>billing-team<\/dd>/);
    assert.doesNotMatch(asked, /already connected/);
    const back = await follow(linkIn(asked, /Continue to GitHub/), { account: 'hubot' });
    assert.equal(back, '/integrations/github?provider=github&connection=work&outcome=connected');
    const both = await read(back);
    assert.match(both, /GitHub \(work\) is connected as <strong>hubot/);
    assert.match(both, /octocat@example\.com.*hubot@example\.com/s);
    assert.match(both, /<h2>History<.*An account was connected<\/a> <span class="quiet">work<.*>default</s);
    assert.match(await read('/'), /GitHub · 2 accounts/);
    assert.match(await read('/integrations'), />GitHub<.*>2 accounts<.*octocat@example\.com.*hubot@example\.com/s);
    assert.deepEqual(await listAccounts(), ['default octocat', 'work hubot']);
  });

  test('ask before a different account replaces the one under a name', async () => {
    const reconnect = linkIn(await read('/integrations/github'), /Reconnect<span class="unseen"> GitHub \(work\)/);
    const taken = await follow(reconnect, { account: 'stranger' });
    assert.equal(
      taken,
      '/integrations/github?provider=github&connection=work&outcome=failed&error=integrations.name_taken',
    );
    const notice = await read(taken);
    assert.match(
      notice,
      /GitHub \(work\) was not changed\.<\/strong> You chose a different account at GitHub than <strong>hubot/,
    );
    assert.deepEqual(await listAccounts(), ['default octocat', 'work hubot']);

    const question = await read(linkIn(notice, /Replace the account/));
    assert.match(question, /GitHub \(work\) is already connected as hubot@example\.com\./);
    assert.match(question, /A different account replaces it: hubot@example\.com is disconnected/);
    const back = await follow(linkIn(question, /Continue to GitHub/), { account: 'stranger' });
    assert.match(back, /outcome=connected$/);
    assert.deepEqual(await listAccounts(), ['default octocat', 'work stranger']);
    const again = await follow(reconnect, { account: 'stranger' });
    assert.match(again, /outcome=connected$/, 'The same account is a reconnect.');
  });

  test('say that nothing has changed if a reconnect is declined', async () => {
    const reconnect = linkIn(await read('/integrations/github'), /Reconnect<span class="unseen"> GitHub</);
    const page = await read(await follow(reconnect, { deny: true }));
    assert.match(
      page,
      /GitHub was not reconnected\.<\/strong> The existing connection hasn't changed\. The request was declined/,
    );
    assert.doesNotMatch(page, /GitHub was not connected|Nothing is connected/);
    assert.match(page, /pill good">Connected/);
  });

  test('disconnect only the one that was chosen', async () => {
    const page = await read('/integrations/github');
    const link = linkIn(page, /Disconnect<span class="unseen"> GitHub \(work\)/);
    assert.equal(link, '/integrations/github/connections/work/disconnect');
    const question = await read(link);
    assert.match(question, /Disconnect GitHub \(work\)\?/);
    assert.match(question, /stranger@example\.com/);
    const done = await pages.submit(link, {}, member);
    assert.equal(done.headers.location, '/integrations/github?done=revoked');
    assert.deepEqual(await listAccounts(), ['default octocat']);
    const again = await pages.submit(link, {}, member);
    assert.equal(again.headers.location, '/integrations/github?done=not_connected');
    assert.deepEqual(await listAccounts(), ['default octocat']);
  });

  test('remember what was entered for each of them', async () => {
    for (const subdomain of ['north', 'south']) {
      const asked = await read(`/integrations/zendesk/connect?connection=${subdomain}&params.subdomain=${subdomain}`);
      await follow(linkIn(asked, /Continue to Zendesk/), { account: subdomain, params: { subdomain } });
    }
    const page = await read('/integrations/zendesk');
    for (const subdomain of ['north', 'south'])
      assert.match(
        linkIn(page, new RegExp(`Reconnect<span class="unseen"> Zendesk \\(${subdomain}\\)`)),
        new RegExp(`&connection=${subdomain}&replace=false&params\\.subdomain=${subdomain}$`),
      );
    assert.match(await read('/integrations/zendesk/connect?connection=north'), /<dt>Subdomain<\/dt><dd>north<\/dd>/);
  });

  test('ask before a link from elsewhere replaces an account', async () => {
    const foreign = { ...member.headers, 'sec-fetch-site': 'cross-site' };
    const answer = await flow.get('/api/integrations/github/connect?connection=default', foreign);
    assert.equal(answer.statusCode, 200);
    assert.match(answer.body, /already connected as <strong>octocat@example\.com<\/strong>/);
  });

  test('load no connection to another provider', async () => {
    const { database } = flow.stage.app;
    const { id: teamId } = team.team;
    const other = plainConnection({ teamId, connectedBy: team.member.user.id }, { id: 'other', provider: 'zendesk' });
    assert.equal(await insertConnection(database, other), 1);
    const { all } = database;
    const listLoaded = async (path: string): Promise<unknown[]> => {
      const loaded = new Set<unknown>();
      const watched = async (...asked: Parameters<typeof all>) => {
        const rows = await all(...asked);
        for (const row of rows) if ('provider' in row) loaded.add(row.provider);
        return rows;
      };
      Object.assign(database, { all: watched });
      await read(path).finally(() => Object.assign(database, { all }));
      return [...loaded];
    };
    assert.deepEqual(await listLoaded('/integrations/github'), ['github']);
    assert.deepEqual(await listLoaded('/integrations/zendesk'), ['zendesk']);
  });
});
