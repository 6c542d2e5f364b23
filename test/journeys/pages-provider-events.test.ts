import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const ENDPOINTS = '/settings/endpoints';

onOneEngine('the pages of what happens at connected accounts', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let teamId = '';
  let admin: Session;
  let stranger: Session;

  before(async () => {
    const { team, admin: person } = await stage.createTeam('ours');
    teamId = team.id;
    admin = await openSession(stage, person.user);
    stranger = await openSession(stage, (await stage.createTeam('theirs')).admin.user);
  });

  const open = async ({ headers }: Session, url: string, status = 200): Promise<string> => {
    const answer = await stage.server.inject({ url, headers });
    assert.equal(answer.statusCode, status, answer.body);
    return answer.body;
  };

  const post = ({ headers, csrfToken }: Session, url: string, form: Record<string, string>) =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken, description: '', ...form }).toString(),
    });

  const listTypes = async () =>
    (await stage.app.events.endpoints.list({ teamId, forOperator: false })).map(({ endpoint }) => endpoint.types);

  const record = async (more: Parameters<typeof providerEvent>[1]): Promise<string> => {
    const event = providerEvent(teamId, more);
    const [id] = await stage.app.database.transaction((tx) => stage.app.events.record(tx, event));
    return `evt_${id}`;
  };

  test('let a person choose providers and their types, and keep them when something else is changed', async () => {
    const providers = ' github/issues \r\n\r\nslack\r\nslack\r\nacme/order paid ';
    const form = { url: 'http://127.0.0.1:9/webhooks', 'types.call.*': 'on', 'types.call.missed': 'on', providers };
    const made = await post(admin, ENDPOINTS, form);
    assert.equal(made.statusCode, 200, made.body);
    const chosen = ['provider.event:github/issues', 'provider.event:slack', 'provider.event:acme/order paid'];
    assert.deepEqual(await listTypes(), [['call.*', ...chosen]]);
    assert.match(await open(admin, ENDPOINTS), /<code>provider\.event:github\/issues<\/code>/);
    const path = /href="(\/settings\/endpoints\/[\w-]+)#test"/.exec(made.body)?.[1] ?? '';
    const page = await open(admin, path);
    assert.match(page, /<textarea id="providers"[^>]*>github\/issues\nslack\nacme\/order paid<\/textarea>/);

    await post(admin, path, { 'types.*': 'on', 'types.call.*': 'on', providers: 'slack' });
    assert.deepEqual(await listTypes(), [['*', 'provider.event:slack']]);
    assert.match(await open(admin, ENDPOINTS), /Everything, <code>provider\.event:slack<\/code>/);
    await post(admin, path, { 'types.*': 'on', providers: '' });
    assert.deepEqual(await listTypes(), [['*']]);
    await post(admin, path, { 'types.provider.event': 'on', providers: 'slack' });
    assert.deepEqual(await listTypes(), [['provider.event']]);
    assert.match(await open(admin, path), /name="types\.provider\.event" value="on" checked/);
  });

  test('say how a provider is written if it is not, and keep what was entered', async () => {
    const form = { url: 'http://127.0.0.1:9/other', providers: 'GitHub <b>' };
    const refused = await post(admin, ENDPOINTS, form);
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /like github, or one of its types, like github\/issues/);
    assert.match(refused.body, />GitHub &lt;b&gt;<\/textarea>/);
  });

  test('show whose event it is and how it was verified, before the payload, which is folded', async () => {
    const id = await record({ name: 'work', account: 'octo <cat>', payload: '{"n":12345678901234567890,"t":"<b>"}' });
    const page = await open(admin, `/events/${id}`);
    const [shown = '', folded = ''] = page.split('<details class="raw"><summary>The payload</summary>');
    for (const [name, value] of [
      ['Provider', 'GitHub'],
      ['The provider&#39;s type', 'issues'],
      ['Connection', 'work'],
      ['Account', 'octo &lt;cat&gt;'],
      ['Verified', 'By its signature'],
    ])
      assert.match(shown, new RegExp(`<dt>${name}</dt><dd>${value}</dd>`));
    assert.match(shown, /<h1[^>]*>(?:<[^>]*>)*GitHub: issues</);
    assert.match(shown, /<a href="\/integrations\/github">GitHub<\/a>/);
    assert.match(shown, /<dt>Received<\/dt><dd><time/);
    assert.match(shown, /<a href="\/integrations\/github">Open the integration<\/a>/);
    assert.match(folded, /&quot;n&quot;: 12345678901234567890,\n {2}&quot;t&quot;: &quot;&lt;b&gt;&quot;/);
    assert.doesNotMatch(page, /<b>/);
    await open(stranger, `/events/${id}`, 404);
  });

  test('explain why an event is about none of the connections', async () => {
    const withoutConnection = async (account: string | null): Promise<string> => {
      const event = providerEvent(teamId, { account });
      const data = { ...event.data, connection: null, account: account === null ? null : { id: account, label: null } };
      const [id] = await stage.app.database.transaction((tx) => stage.app.events.record(tx, { ...event, data }));
      return open(admin, `/events/evt_${id}`);
    };
    const named = await withoutConnection('583231');
    assert.match(named, /None of your connections\. The message names an account that isn&#39;t connected/);
    assert.match(named, /<dt>Account<\/dt><dd>583231<\/dd>/);
    assert.match(await withoutConnection(null), /None of your connections\. The message names no account\./);
  });

  test('let a member download a payload that is too large to be shown', async () => {
    const id = await record({ payload: JSON.stringify('a'.repeat(20_000)) });
    const page = await open(admin, `/events/${id}`);
    const address = /<a class="button plain" href="([^"]+)" download>Download the payload</.exec(page)?.[1] ?? '';
    assert.equal((await open(admin, address)).length, 20_002);
    await open(stranger, address, 404);
  });
});
