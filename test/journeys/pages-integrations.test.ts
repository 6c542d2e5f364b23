import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { wordsOf } from '../../src/dashboard/integrations/connecting/outcome-notice.ts';
import * as refusals from '../../src/integrations/errors.ts';
import { BROWSER, startConnectStage } from '../harness/connect-flow.ts';
import { createPageVisits, linkIn } from '../harness/page-visits.ts';
import type { ConsentOptions } from '../harness/provider-simulator/give-consent.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const DISCONNECT = '/integrations/github/connections/default/disconnect';

describe('the integration pages', () => {
  const flow = useStage(() => startConnectStage('sqlite', { providers: { github: {}, zendesk: {}, gitlab: {} } }));
  const team = prepare(() => flow.stage.createTeam('acme'));
  let admin: Session;
  let member: Session;
  let stranger: Session;

  before(async () => {
    const others = await flow.stage.createTeam('others');
    admin = await openSession(flow.stage, team.admin.user);
    member = await openSession(flow.stage, team.member.user);
    stranger = await openSession(flow.stage, others.admin.user);
  });

  const pages = createPageVisits(flow);
  const visit = (path: string, session = member) => pages.visit(path, session);
  const read = (path: string, { as = member, status = 200 }: { as?: Session; status?: number } = {}) =>
    pages.read(path, as, status);
  const submit = (path: string, fields: Record<string, string>, session = member) =>
    pages.submit(path, fields, session);
  const follow = (link: string, options: ConsentOptions = {}) => pages.follow(link, member, options);

  const connect = async (account: string) => {
    const back = await follow(linkIn(await read('/integrations/github'), /Connect/), { account });
    assert.equal(back.statusCode, 303, back.body);
    return String(back.headers.location);
  };

  const disconnect = async () => assert.equal((await submit(DISCONNECT, {})).statusCode, 303);

  test('redirect to the sign-in page without a session', async () => {
    for (const path of ['/integrations', '/integrations/github', DISCONNECT]) {
      const answer = await flow.get(path, BROWSER);
      assert.equal(answer.headers.location, `/sign-in?returnTo=${encodeURIComponent(path)}`);
    }
  });

  test('show ready providers before the catalog, and what to do while nothing is connected', async () => {
    const page = await read('/integrations');
    assert.match(page, /Nothing is connected</);
    assert.match(page, /Connect the sandbox/);
    assert.equal(
      linkIn(page, /Connect<span class="unseen"> GitHub/),
      `/api/integrations/github/connect?returnTo=%2Fintegrations%2Fgithub&team=${team.team.id}&replace=false`,
    );
    assert.equal(
      linkIn(page, /Connect<span class="unseen"> Zendesk/),
      '/integrations/zendesk',
      'its page asks for the subdomain',
    );
    assert.ok(page.indexOf('Ready to connect') < page.indexOf('Popular providers'));
    assert.match(page.slice(page.indexOf('Popular providers')), /href="\/integrations\/asana"/);
  });

  test('count providers the same everywhere, and the sandbox as none of them', async () => {
    const overview = await read('/integrations');
    const count = Number(/placeholder="Search (\d+) providers"/.exec(overview)?.[1]);
    const { providers } = (await visit('/api/integrations/providers')).json();
    assert.equal(count, providers.filter(({ id }: { id: string }) => id !== 'sandbox').length);
    assert.match(overview, new RegExp(`>Browse all ${count}<`));
    const all = await read('/integrations?show=all');
    assert.match(all, new RegExp(`>${count} providers${count < providers.length ? ' and the sandbox' : ''}<`));
  });

  test('find providers by name and by category', async () => {
    const found = await read('/integrations?q=%20MAIL%20google');
    assert.match(found, /1 provider for “MAIL google”/);
    assert.match(found, /href="\/integrations\/google"/);
    assert.doesNotMatch(found, /href="\/integrations\/github"/);
    const both = await read('/integrations?q=zendesk&category=support');
    assert.match(both, /2 providers for “zendesk” in Support/);
    assert.match(both, /Zendesk/);
    const nothing = await read('/integrations?q=%3Cscript%3E');
    assert.match(nothing, /No providers for “&lt;script&gt;”/);
    assert.match(nothing, /PATCHBAY_PROVIDERS/);
  });

  test('show an admin a form to set up a provider, and a member only the instructions', async () => {
    const page = await read('/integrations/asana', { as: admin });
    assert.match(
      page.replaceAll('<wbr>', ''),
      /<code>http:\/\/localhost:3000\/api\/integrations\/asana\/callback<\/code>/,
    );
    assert.match(page, /OAUTH_ASANA_CLIENT_ID=\nOAUTH_ASANA_CLIENT_SECRET=</);
    assert.match(page, /action="\/integrations\/asana\/credentials"/);
    const without = await read('/integrations/asana');
    assert.match(without, /a team admin can enter them/);
    assert.doesNotMatch(without, /action="\/integrations\/asana\/credentials"/);
    assert.match(await read('/integrations/fitbit'), /Fitbit can no longer be connected/);
  });

  test('follow a connection from the link to the end, and show it only to its team', async () => {
    const back = await connect('octocat');
    assert.equal(back, '/integrations/github?provider=github&outcome=connected');
    const page = await read(back);
    assert.match(page, /GitHub is connected as <strong>[^<]*octocat/);
    assert.match(page, /member@acme\.example/);
    assert.match(page, /<dt>Scopes granted<\/dt>/);
    assert.match(await read('/integrations'), /pill good">Connected/);
    assert.match(await read('/integrations', { as: stranger }), /Nothing is connected</);
    const theirs = await read(back, { as: stranger });
    assert.match(theirs, /Not connected/);
    assert.doesNotMatch(theirs, /octocat|GitHub is connected/, 'an address that anybody can write proves nothing');
    assert.equal((await visit(DISCONNECT, stranger)).headers.location, '/integrations/github');

    const question = await read(DISCONNECT);
    assert.match(question, /Disconnect GitHub\?/);
    assert.match(question, /Patchbay asks GitHub to revoke access/);
    const done = await submit(DISCONNECT, {});
    assert.equal(done.headers.location, '/integrations/github?done=revoked');
    assert.match(await read('/integrations/github?done=revoked'), /the provider has revoked access/);
    assert.equal(await flow.statusOf(team.member), 'disconnected');
    assert.equal((await submit(DISCONNECT, {})).headers.location, '/integrations/github?done=not_connected');
  });

  test('say why nothing was connected, and who must finish what another browser started', async () => {
    const link = linkIn(await read('/integrations/github'), /Connect/);
    const denied = String((await follow(link, { deny: true })).headers.location);
    assert.match(await read(denied), /GitHub was not connected\.<\/strong> The request was declined at GitHub\./);
    const { authorizationUrl } = await flow.begin(team.member, 'github', { returnTo: '/integrations/github' });
    const parked = String((await visit(flow.consent(authorizationUrl), admin)).headers.location);
    const finish = linkIn(await read(parked, { as: admin }), /Finish connecting GitHub/);
    const attempt = new URL(finish, 'http://localhost').searchParams.get('attempt') ?? '';
    assert.match(await read(finish), /Yes, connect GitHub/);
    const finished = await submit('/integrations/github/finish', { attempt });
    assert.equal(finished.headers.location, '/integrations/github?provider=github&outcome=connected');
    await disconnect();
  });

  test('have words for every refusal that a callback can return with', () => {
    const kinds = [
      'invalid_grant',
      'invalid_client',
      'refused',
      'rate_limited',
      'unavailable',
      'unclear',
      'not_asked',
    ] as const;
    const codes = [
      ...kinds.map((kind) => refusals.exchangeFailed({ kind, code: null, surelyNotDone: true, retryAfterMs: null })),
      ...[refusals.consentRefused('access_denied'), refusals.consentRefused('server_error'), refusals.interrupted()],
      ...[refusals.callbackMalformed(''), refusals.issuerWrong(), refusals.issuerAway(), refusals.stateInvalid()],
      ...[refusals.notConfigured([]), refusals.paramsInvalid([]), refusals.attemptNotYours()],
      ...[refusals.nameTaken(), refusals.connectionLimit(1)],
    ].map(({ code }) => code);
    assert.deepEqual(
      codes.filter((code) => wordsOf(code, 'Acme') === null),
      [],
    );
    assert.equal(wordsOf('integrations.constructor', 'Acme'), null);
  });

  test("also show callbacks that have nowhere to return to or can't be used", async () => {
    const done = await follow('/api/integrations/github/connect', { account: 'octocat' });
    assert.equal(done.statusCode, 200);
    assert.match(done.body, /GitHub is connected/);
    assert.equal(linkIn(done.body, /Continue/), '/integrations/github');
    await disconnect();
    const denied = await follow('/api/integrations/github/connect', { deny: true });
    assert.equal(denied.statusCode, 403);
    assert.equal(linkIn(denied.body, /Try again/), '/integrations/github');
    const forged = await read('/api/integrations/github/callback?state=a&code=b', { status: 400 });
    assert.match(forged, /Connect again\./);
    assert.equal(linkIn(forged, /Go to GitHub/), '/integrations/github');
    const unknown = `/integrations/github/finish?attempt=${'a'.repeat(43)}`;
    assert.equal(linkIn(await read(unknown, { status: 404 }), /Go to GitHub/), '/integrations/github');
  });

  test("ask for what the provider's address needs, then link to it", async () => {
    assert.match(
      await read('/integrations/zendesk'),
      /<form action="\/integrations\/zendesk\/connect">.*name="params\.subdomain"/s,
    );
    const refused = await read('/integrations/zendesk/connect?params.subdomain=No%20Way', { status: 400 });
    assert.match(refused, /<strong>Subdomain<\/strong> must look like &quot;acme&quot;/);
    assert.match(refused, /value="No Way"/);
    const asked = await read('/integrations/zendesk/connect?params.subdomain=north');
    assert.equal((await visit('/integrations/zendesk/connect', member)).statusCode, 400);
    const link = linkIn(asked, /Continue to Zendesk/);
    const back = await follow(link, { account: 'agent', params: { subdomain: 'north' } });
    assert.equal(back.headers.location, '/integrations/zendesk?provider=zendesk&outcome=connected');
    const again = linkIn(await read('/integrations/zendesk'), /Reconnect/);
    assert.match(again, /&params\.subdomain=north$/, 'what was given once is not asked for again');
    const optional = await read('/integrations/gitlab');
    assert.match(optional, /Connect with other details or scopes/);
    const wanted = `/api/integrations/gitlab/connect?returnTo=%2Fintegrations%2Fgitlab&team=${team.team.id}&replace=false`;
    assert.equal(linkIn(optional, /Connect</), wanted);
  });

  test("store the team's own OAuth app and never show its secret again", async () => {
    const path = '/integrations/asana/credentials';
    const secret = 'own-secret-of-the-team-4711';
    assert.equal((await submit(path, { clientId: 'own-client', clientSecret: secret })).statusCode, 403, 'a member');
    const wrong = [
      { clientId: 'own-client', clientSecret: '' },
      { clientId: ' ', clientSecret: secret },
      { clientId: 'ówn-client', clientSecret: secret },
      { clientId: 'own-client', clientSecret: secret, 'registered.subdomain': 'x' },
    ];
    for (const fields of wrong) {
      const answer = await submit(path, fields, admin);
      assert.equal(answer.statusCode, 400, JSON.stringify(fields));
      assert.match(answer.body, /role="alert"/);
      assert.ok(answer.body.includes(`value="${fields.clientId.trim()}"`), 'it is as it was filled in');
      assert.ok(!answer.body.includes(secret));
    }
    const saved = await submit(path, { clientId: ' own-client ', clientSecret: secret }, admin);
    assert.equal(saved.headers.location, '/integrations/asana?done=client_saved');
    for (const as of [admin, member]) {
      const page = await read('/integrations/asana?done=client_saved', { as });
      assert.match(page, /own OAuth app at Asana:<\/p>.*<code>own-client<\/code>/s);
      assert.ok(!page.includes(secret));
      linkIn(page, /Connect</);
    }
    assert.match(await read('/integrations/asana', { as: stranger }), /Register an OAuth app at Asana/);
    assert.equal((await visit(`${path}/remove`)).statusCode, 403);
    assert.match(await read(`${path}/remove`, { as: admin }), /can't connect Asana until you add an OAuth app again/);
    const removed = await submit(`${path}/remove`, {}, admin);
    assert.equal(removed.headers.location, '/integrations/asana?done=client_removed');
    assert.match(await read('/integrations/asana', { as: admin }), /Register an OAuth app at Asana/);
    assert.equal((await visit(`${path}/remove`, admin)).headers.location, '/integrations/asana');
    const open = await submit(path, { clientId: 'own-client', clientSecret: '', isPublic: 'yes' }, admin);
    assert.equal(open.statusCode, 303, 'a public client has no secret');
  });

  test("can disconnect a provider that has left the catalog, and don't know any others", async () => {
    const { app } = flow.stage;
    const [row] = await app.database.all<{ provider: string }>(`select provider from connections where team_id = $1`, [
      team.team.id,
    ]);
    assert.equal(row?.provider, 'zendesk');
    await app.database.run(
      `update connections set provider = 'left', status = 'needs_reconnect', last_error = 'It ended.' where team_id = $1`,
      [team.team.id],
    );
    const page = await read('/integrations/left');
    assert.match(page, /Needs reconnecting/);
    assert.match(page, /It ended\./);
    assert.match(await read('/integrations/left/connections/default/disconnect'), /can&#39;t revoke access at/);
    assert.equal(
      (await submit('/integrations/left/connections/default/disconnect', {})).headers.location,
      '/integrations?done=unknown',
    );
    for (const path of ['left', 'nobody', 'left/connections/default/disconnect', 'nobody/connect'])
      assert.match(await read(`/integrations/${path}`, { status: 404 }), /nothing at this address/);
    assert.equal((await submit('/integrations/nobody/connections/default/disconnect', {})).statusCode, 404);
  });
});
