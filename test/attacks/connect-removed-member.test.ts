import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, expectParked, startConnectStage, type Team } from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a member removed while a flow is in progress', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  let turn = 0;

  const createTeam = (): Promise<Team> => flow.stage.createTeam(`team${turn++}`);

  const remove = async ({ admin, member }: Team) => {
    const answer = await flow.stage.server.inject({
      method: 'DELETE',
      url: `/api/members/${member.user.id}`,
      headers: admin.headers,
    });
    assert.equal(answer.statusCode, 204, answer.body);
  };

  const expectNothing = async ({ admin }: Team, before: number) => {
    assert.equal(flow.exchanges(), before, 'a token request was made');
    assert.equal(await flow.statusOf(admin), 'disconnected');
  };

  test('cannot finish it with the cookie the browser still holds', async () => {
    const team = await createTeam();
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const back = flow.consent(authorizationUrl, { account: 'account-of-the-removed' });
    await remove(team);
    const before = flow.exchanges();
    const answer = await flow.arrive(back, { cookie });
    assert.notEqual(answer.statusCode, 200, answer.body);
    await expectNothing(team, before);
  });

  test('leaves no connection in the team if removed while the provider is being asked for tokens', async () => {
    const team = await createTeam();
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const { outbound } = flow.simulator;
    const { request } = outbound;
    let removed = false;
    outbound.request = async (asked) => {
      const answer = await request(asked);
      if (!removed) await remove(team);
      removed = true;
      return answer;
    };
    const before = flow.exchanges();
    const answer = await flow.arrive(flow.consent(authorizationUrl), { cookie }).finally(() => {
      outbound.request = request;
    });
    assert.ok(answer.statusCode >= 400, answer.body);
    assert.equal(flow.exchanges(), before + 1, 'The member was still there when the tokens were asked for.');
    assert.equal(await flow.statusOf(team.admin), 'disconnected');
  });

  test('cannot finish what was parked', async () => {
    const team = await createTeam();
    const { authorizationUrl } = await flow.begin(team.member);
    const attempt = expectParked(await flow.arrive(flow.consent(authorizationUrl)));
    await remove(team);
    const before = flow.exchanges();
    assert.equal((await flow.complete(team.member, attempt)).statusCode, 401);
    await expectNothing(team, before);
  });

  test('leaves no link that still starts one', async () => {
    const team = await createTeam();
    const { connectUrl } = await flow.begin(team.member);
    await remove(team);
    const { pathname, search } = new URL(connectUrl);
    const answer = await flow.get(`${pathname}${search}`, { accept: '*/*' });
    assert.notEqual(answer.statusCode, 302, 'the link of a removed member still leads to the provider');
  });

  test('does not affect other people’s flows', async () => {
    const team = await createTeam();
    const { authorizationUrl, cookie } = await flow.begin(team.admin);
    await remove(team);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
  });
});
