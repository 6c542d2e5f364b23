import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const TEAM = 'customer-42';
const USER = 'user-7';

type Entry = { action: string; actor: { kind: string; key: string | null }; targetKey: string | null };

onOneEngine('the product’s own keys of its users', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => putCustomer(flow.stage, TEAM));
  const session = prepare(async () => {
    assert.ok(team.id);
    const made = await createConnectSession(flow.stage, TEAM, { user: USER });
    const { authorizationUrl, cookie } = await flow.begin(made);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie, ...made.headers }));
    return made;
  });

  const read = async (url: string) => {
    flow.clock.advance(1_000);
    const answer = await flow.get(url, asCustomer(TEAM).headers);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };

  const connectedBy = async () =>
    (await read('/api/integrations/status')).integrations.find(
      ({ provider }: { provider: string }) => provider === 'github',
    ).connectedBy;

  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, settingsOf(flow.stage));
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test('say who connected an account, who is in the team, and whose a token is', async () => {
    const { id } = session.user;
    assert.deepEqual(await connectedBy(), { id, key: USER, label: USER });
    const { members } = await read('/api/members');
    assert.deepEqual(
      members.map(({ id, key }: Record<string, string>) => [id, key]),
      [[id, USER]],
    );
    const made = await flow.stage.server.inject({
      ...{ method: 'POST', url: '/api/tokens', payload: { name: 'nightly' } },
      ...asCustomer(TEAM, USER),
    });
    assert.equal(made.statusCode, 201, made.body);
    const { tokens } = await read('/api/tokens');
    assert.deepEqual(tokens[0].user, { id, email: null, key: USER });
  });

  test('say in the audit log who did it and to whom, and are null for everyone else', async () => {
    assert.ok(session.token);
    const invitation = { email: 'boss@example.com' };
    const invited = await flow.stage.server.inject({
      ...{ method: 'POST', url: '/api/members', payload: invitation },
      ...asCustomer(TEAM),
    });
    const { member } = invited.json();
    assert.equal(member.key, null);
    const { events } = await read('/api/audit');
    const keysOf = (wanted: string) => {
      const found: Entry = events.find(({ action }: Entry) => action === wanted);
      return [found.actor.kind, found.actor.key, found.targetKey];
    };
    assert.deepEqual(keysOf('integration.connect'), ['user', USER, null]);
    assert.deepEqual(keysOf('connect_session.create'), ['operator', null, USER]);
    assert.deepEqual(keysOf('member.invite'), ['operator', null, null]);
  });

  test('are shown on the pages', async () => {
    await flow.stage.server.inject({
      ...{ method: 'POST', url: `/api/operator/teams/${TEAM}/sessions`, headers: OPERATOR },
      payload: { user: { key: 'user-8', name: 'Ann', email: 'ann@example.com' } },
    });
    const invited = await flow.stage.server.inject({
      ...{ method: 'POST', url: '/api/members', payload: { email: 'admin@example.com', role: 'admin' } },
      ...asCustomer(TEAM),
    });
    const link = new URL(invited.json().signInLink).pathname;
    const signedIn = await flow.stage.server.inject({ method: 'POST', url: link });
    const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
    const show = async (url: string) => (await flow.get(url, { cookie, accept: 'text/html' })).body;
    const members = await show('/settings/members');
    assert.match(members, /<th scope="row">user-7<\/th>/);
    assert.match(members, /<th scope="row">ann@example\.com<br><span class="quiet">Ann · user-8<\/span><\/th>/);
    assert.match(await show('/settings/audit'), />user-7</);
    assert.match(await show('/settings/tokens'), /data-label="Owner">user-7</);
    assert.match(await show('/integrations/github'), /by user-7</);
  });

  test('are listed by the commands', async () => {
    assert.ok(session.token);
    assert.match(await run('team', 'list'), new RegExp(`^${team.id} +${TEAM} `, 'm'));
    assert.match(await run('user', 'list', '--team', team.id), new RegExp(`^${session.user.id} +${USER} +member`, 'm'));
  });

  test('of teams pick one on the command line, unless another team has it as its id', async () => {
    const listed = await run('user', 'list', '--team', TEAM, '--json');
    assert.equal(listed, await run('user', 'list', '--team', team.id, '--json'));
    await putCustomer(flow.stage, team.id);
    assert.equal(await run('user', 'list', '--team', team.id, '--json'), listed);
    assert.match(await run('user', 'list', '--help'), /the team's ID or key/);

    await run('user', 'add', 'here@example.com', '--team', TEAM);
    await run('user', 'role', 'here@example.com', 'admin', '--team', TEAM);
    const refused = await runCommand(['user', 'link', 'here@example.com', '--team', 'x'], settingsOf(flow.stage));
    assert.deepEqual([refused.code, refused.stderr], [1, 'There is no such team. Run "team list" to see all teams.\n']);
  });

  test('of someone who was removed still say who it was, without their name', async () => {
    const { id } = session.user;
    const url = `/api/members/${id}`;
    await flow.stage.server.inject({ method: 'PATCH', url, payload: { name: 'Ben' }, ...asCustomer(TEAM) });
    flow.clock.advance(1_000);
    assert.deepEqual(await connectedBy(), { id, key: USER, label: 'Ben' });
    assert.equal((await flow.stage.server.inject({ method: 'DELETE', url, ...asCustomer(TEAM) })).statusCode, 204);
    assert.deepEqual(await connectedBy(), { id, key: USER, label: USER });
  });
});
