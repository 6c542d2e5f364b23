import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  BROWSER,
  expectConnected,
  expectParked,
  expectRefused,
  startConnectStage,
  withParams,
} from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const NOT_NAMES = [
  ...['', ' ', '-a', '_a', 'Work', 'wörk', 'ｗork', 'wоrk', 'a b', 'a.b', '../default', 'a/b', 'a\\b', 'work\n'],
  ...['%77ork', "x' or '1'='1", '__proto__', '<b>', 'x'.repeat(41)],
];

onOneEngine('the name of a connection', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const others = prepare(() => flow.stage.createTeam('others'));

  const connect = async (person: typeof team.member, account: string, payload: object = {}) => {
    const { authorizationUrl, cookie } = await flow.begin(person, 'github', payload);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl, { account }), { cookie }));
  };

  const listRows = () =>
    flow.stage.app.database.all<{ teamId: string; name: string; account: string }>(
      'select team_id as "teamId", name, account_id as account from connections order by team_id, name',
    );

  beforeEach(async () => {
    await flow.stage.app.database.run('delete from connections');
    flow.clock.advance(1_000);
  });

  test('is refused everywhere if it has the wrong format, and nothing is looked up or sent', async () => {
    await connect(team.member, 'octocat', { connection: 'work' });
    const before = flow.exchanges();
    for (const name of NOT_NAMES) {
      const what = JSON.stringify(name);
      const query = `?${new URLSearchParams({ connection: name })}`;
      for (const action of ['connect', 'disconnect', 'token']) {
        const byBody = await flow.post(`github/${action}`, team.admin.headers, { connection: name });
        const { errors } = expectRefused(byBody, 400, 'http.invalid_input', `${action} ${what}`);
        assert.equal(errors?.[0]?.path, 'body.connection', what);
        if (action === 'connect') continue;
        const byQuery = await flow.post(`github/${action}${query}`, team.admin.headers);
        expectRefused(byQuery, 400, 'http.invalid_input', `${action}?${what}`);
      }
      const link = await flow.get(`/api/integrations/github/connect${query}`, team.admin.headers);
      expectRefused(link, 400, 'http.invalid_input', `a link with ${what}`);
    }
    for (const name of [null, 7, true, ['work'], { name: 'work' }])
      for (const action of ['connect', 'disconnect', 'token']) {
        const answer = await flow.post(`github/${action}`, team.admin.headers, { connection: name });
        expectRefused(answer, 400, 'http.invalid_input', `${action} ${JSON.stringify(name)}`);
      }
    const twice = await flow.post('github/disconnect?connection=work&connection=default', team.admin.headers);
    assert.equal(twice.statusCode, 400, twice.body);
    assert.equal(flow.exchanges(), before);
    assert.deepEqual(
      (await listRows()).map(({ name }) => name),
      ['work'],
    );
  });

  test("never reaches another team's connection, and reveals nothing about it", async () => {
    await connect(others.member, 'theirs', { connection: 'work' });
    await connect(others.member, 'theirs-too', { connection: 'secret-project' });
    const rows = await listRows();
    for (const query of ['', '?connection=work', '?connection=nobody']) {
      const token = await flow.post(`github/token${query}`, team.admin.headers);
      const { detail } = expectRefused(token, 409, 'integrations.not_connected', query);
      assert.equal(detail, "The team isn't connected to this provider.");
      const away = await flow.post(`github/disconnect${query}`, team.admin.headers);
      const nothing = { provider: 'github', status: 'disconnected', revocation: 'not_connected' };
      assert.deepEqual(away.json(), nothing, query);
    }
    const begun = await flow.post('github/connect', team.admin.headers, { connection: 'work' });
    assert.equal(begun.json().replaces, null);
    const status = await flow.get('/api/integrations/status', team.admin.headers);
    assert.doesNotMatch(status.body, /theirs|secret-project|"work"/);
    assert.deepEqual(await listRows(), rows);

    await connect(team.member, 'octocat', { connection: 'work' });
    await connect(team.member, 'hubot', { connection: 'play' });
    const ambiguous = await flow.post('github/token', team.admin.headers);
    expectRefused(ambiguous, 409, 'integrations.connection_ambiguous');
    assert.deepEqual(ambiguous.json().connections, ['play', 'work']);
    assert.equal((await listRows()).filter(({ teamId }) => teamId === others.team.id).length, 2);
  });

  test("comes from the state, whatever the callback's address or the one who completes says", async () => {
    await connect(team.member, 'octocat');
    const begun = await flow.begin(team.member, 'github', { connection: 'work' });
    const path = withParams(flow.consent(begun.authorizationUrl, { account: 'hubot' }), {
      connection: 'default',
      replace: 'true',
    });
    const attempt = expectParked(await flow.arrive(path));
    const wrong = await flow.post('github/complete', team.member.headers, { attempt, connection: 'default' });
    expectRefused(wrong, 400, 'http.invalid_input');
    expectConnected(await flow.complete(team.member, attempt));
    assert.deepEqual(
      (await listRows()).map(({ name, account }) => [name, account]),
      [
        ['default', 'octocat'],
        ['work', 'hubot'],
      ],
    );
  });

  test('in the path of a page leads nowhere if there is no such connection', async () => {
    await connect(team.member, 'octocat');
    const session = await openSession(flow.stage, team.member.user);
    const page = { ...BROWSER, ...session.headers };
    for (const name of ['work', 'Default', '%2e%2e', '__proto__', 'constructor', '%00', 'x'.repeat(60)]) {
      const url = `/integrations/github/connections/${name}/disconnect`;
      const answer = await flow.get(url, page);
      assert.ok(answer.statusCode === 303 || answer.statusCode === 400 || answer.statusCode === 404, url);
      assert.doesNotMatch(answer.body, /octocat/);
    }
    assert.equal((await listRows()).length, 1);
    const refused = await flow.get('/integrations/github/connect?connection=No%20Way!', page);
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /must be 1 to 40 lowercase letters/);
    assert.match(refused.body, /value="No Way!"/);
  });
});
