import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const OWN = { clientId: 'client-of-the-team', clientSecret: 'secret-of-the-team' };

onOneEngine('scopes', (engine) => {
  const flow = useStage(() =>
    startConnectStage(engine, {
      providers: { github: {}, google: {} },
      env: { OAUTH_GITHUB_SCOPES: 'repo read:org', OAUTH_ASANA_SCOPES: 'tasks:read' },
    }),
  );
  const team = prepare(() => flow.stage.createTeam('acme'));
  const others = prepare(() => flow.stage.createTeam('others'));

  const requested = async (person: typeof team.member, provider: string, payload: object = {}) => {
    const { authorizationUrl } = await flow.begin(person, provider, payload);
    return new URL(authorizationUrl).searchParams.get('scope')?.split(' ') ?? [];
  };

  const putCredentials = (provider: string, payload: object) =>
    flow.stage.server.inject({
      method: 'PUT',
      url: `/api/integrations/${provider}/credentials`,
      headers: team.admin.headers,
      payload,
    });

  const listed = async (person: typeof team.member, provider: string) => {
    const answer = await flow.get('/api/integrations/providers', person.headers);
    const { providers } = answer.json<{ providers: { id: string; scopes: string[]; requiredScopes: string[] }[] }>();
    return providers.find(({ id }) => id === provider) ?? assert.fail(provider);
  };

  test('are those of the setting, unless the connect request names others', async () => {
    assert.deepEqual(await requested(team.member, 'github'), ['repo', 'read:org']);
    assert.deepEqual(await requested(team.member, 'github', { scopes: ['gist'] }), ['gist']);
    assert.deepEqual((await listed(team.member, 'github')).scopes, ['repo', 'read:org']);
    assert.deepEqual((await listed(team.member, 'asana')).scopes.slice(-1), ['tasks:read'], 'Also without a client.');
  });

  test('that were not granted are in the status', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    await flow.arrive(flow.consent(authorizationUrl, { grantedScopes: ['repo'] }), { cookie });
    const answer = await flow.get('/api/integrations/status', team.member.headers);
    const { integrations } = answer.json();
    const github = integrations.find(({ provider }: { provider: string }) => provider === 'github');
    assert.deepEqual(github.scopes, ['repo']);
    assert.deepEqual(github.missingScopes, ['read:org']);
    const session = await openSession(flow.stage, team.member.user);
    const page = await flow.get('/integrations/github', { ...BROWSER, ...session.headers });
    assert.match(page.body, /<dt>Scopes not granted<\/dt><dd><ul class="scopes"><li><code>read:org<\/code>/);
  });

  test("can belong to the team's own client, and required ones are added to them", async () => {
    const { requiredScopes } = await listed(team.member, 'google');
    const scopes = ['https://www.googleapis.com/auth/calendar', 'email'];
    const put = await putCredentials('google', { ...OWN, scopes });
    assert.equal(put.statusCode, 200, put.body);
    assert.deepEqual(put.json(), { provider: 'google', clientId: OWN.clientId, scopes });
    const wanted = [...new Set([...requiredScopes, ...scopes])];
    assert.deepEqual(await requested(team.member, 'google'), wanted);
    assert.deepEqual((await listed(team.member, 'google')).scopes, wanted);
    const explicit = await requested(team.member, 'google', { scopes: ['profile'] });
    assert.deepEqual(explicit, [...new Set([...requiredScopes, 'profile'])]);
    assert.notDeepEqual(await requested(others.member, 'google'), wanted, 'Nobody else uses them.');
    assert.deepEqual((await putCredentials('google', { ...OWN, scopes: [] })).json().scopes, []);
    assert.deepEqual(await requested(team.member, 'google'), requiredScopes);
    assert.equal((await putCredentials('google', OWN)).json().scopes, null, 'Without scopes, the defaults.');
    assert.deepEqual(await requested(team.member, 'google'), (await listed(others.member, 'google')).scopes);
  });

  test("of the team's own client are checked", async () => {
    const wrong = [
      ['a b'],
      [''],
      ['ü'],
      ['x'.repeat(301)],
      Array.from({ length: 101 }, (_, n) => `s${n}`),
      'repo',
      [7],
    ];
    for (const scopes of wrong)
      expectRefused(await putCredentials('google', { ...OWN, scopes }), 400, 'http.invalid_input', String(scopes));
    const long = Array.from({ length: 20 }, (_, n) => `${n}${'x'.repeat(250)}`);
    expectRefused(await putCredentials('google', { ...OWN, scopes: long }), 400, 'integrations.scopes_invalid');
  });

  test('are shown and edited on the page of the provider', async () => {
    const admin = await openSession(flow.stage, team.admin.user);
    const visit = (path: string) => flow.get(path, { ...BROWSER, ...admin.headers });
    const page = (await visit('/integrations/github')).body;
    assert.match(page, /Connecting asks for:<\/p><ul class="scopes"><li><code>repo<\/code>/);
    assert.match(page, /<textarea id="scopes"[^>]*>repo read:org<\/textarea>/);
    const linkOn = (body: string) => /href="(\/api\/integrations\/github\/connect[^"]*)"/.exec(body)?.[1] ?? '';
    const edited = (await visit('/integrations/github/connect?connection=new&scopes=gist%0Arepo')).body;
    assert.match(edited, /<code>gist<\/code>/);
    assert.match(linkOn(edited), /&amp;scopes=gist\+repo$/);
    const unchanged = (await visit('/integrations/github/connect?connection=new&scopes=read:org+repo')).body;
    assert.doesNotMatch(linkOn(unchanged), /scopes=/);
    const refused = await visit(`/integrations/github/connect?connection=new&scopes=${encodeURIComponent('ü')}`);
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /<strong>Scopes<\/strong> must be plain ASCII/);

    const { authorizationUrl, cookie } = await flow.begin(team.member, 'github', {
      connection: 'more',
      scopes: ['gist'],
    });
    await flow.arrive(flow.consent(authorizationUrl), { cookie });
    const reconnects = [...(await visit('/integrations/github')).body.matchAll(/href="([^"]*)"[^>]*>Reconnect</g)];
    assert.deepEqual(
      reconnects.map(([, address = '']) => /scopes=([^&]*)/.exec(address)?.[1] ?? null),
      [null, 'repo+read%3Aorg+gist'],
      'What was chosen for a connection is requested again.',
    );

    const [, change = ''] =
      /href="([^"]*\/more\/scopes)"[^>]*>Change scopes</.exec((await visit('/integrations/github')).body) ?? [];
    const form = (await visit(change)).body;
    assert.match(form, /Change the scopes of GitHub \(more\)/);
    assert.match(form, /<textarea id="scopes"[^>]*>repo read:org gist<\/textarea>/);
    const changed = (await visit('/integrations/github/connect?connection=more&scopes=gist')).body;
    assert.match(linkOn(changed), /connection=more&amp;scopes=gist&amp;params\.hostname=github\.com$/);
    const nowhere = await visit('/integrations/github/connections/unknown/scopes');
    assert.deepEqual([nowhere.statusCode, nowhere.headers['location']], [303, '/integrations/github']);

    const saved = await flow.stage.server.inject({
      method: 'POST',
      url: '/integrations/github/credentials',
      headers: { ...BROWSER, ...admin.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ ...OWN, clientScopes: 'gist, user', _csrf: admin.csrfToken }).toString(),
    });
    assert.equal(saved.statusCode, 303, saved.body);
    assert.deepEqual(await requested(team.member, 'github'), ['gist', 'user']);
    assert.match((await visit('/integrations/github')).body, /<textarea id="clientScopes"[^>]*>gist user<\/textarea>/);
  });

  test("of the team's own app are changed on their own, by admins, and stay within the bounds", async () => {
    const path = '/integrations/github/credentials/scopes';
    const submit = async (user: typeof team.admin.user, defaultScopes: string, url = path) => {
      const session = await openSession(flow.stage, user);
      const payload = new URLSearchParams({ defaultScopes, _csrf: session.csrfToken }).toString();
      const headers = { ...BROWSER, ...session.headers, 'content-type': 'application/x-www-form-urlencoded' };
      return flow.stage.server.inject({ method: 'POST', url, headers, payload });
    };
    const saved = await submit(team.admin.user, 'gist\n repo');
    assert.equal(saved.headers['location'], '/integrations/github?done=scopes_saved', saved.body);
    assert.deepEqual(await requested(team.member, 'github'), ['gist', 'repo']);
    assert.equal((await submit(team.member.user, 'gist')).statusCode, 403);
    const refused = await submit(team.admin.user, 'ü');
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /<details open>.*<textarea id="defaultScopes"[^>]*>ü<\/textarea>/s);
    const others = await flow.stage.createTeam('others-with-scopes');
    assert.equal((await submit(others.admin.user, 'admin:org')).statusCode, 409, 'They have no app of their own.');
    assert.deepEqual(await requested(team.member, 'github'), ['gist', 'repo']);
    assert.equal((await submit(team.admin.user, ' ')).statusCode, 303);
    assert.deepEqual(await requested(team.member, 'github'), ['repo', 'read:org'], 'None are the defaults.');
  });
});
