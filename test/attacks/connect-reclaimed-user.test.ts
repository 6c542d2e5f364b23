import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { BROWSER, cookiesOf, expectParked, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { readCsrfToken } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a flow that an inviter began in the name of the person they invited', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  let made = 0;

  const signIn = async (address: string): Promise<string> => {
    const url = new URL(address).pathname;
    const signedIn = await flow.stage.server.inject({ method: 'POST', url });
    assert.equal(signedIn.statusCode, 303, signedIn.body);
    return cookiesOf(signedIn.headers['set-cookie']);
  };

  /** The inviter uses the link that was handed over. Then the owner of the address signs in with one of their own. */
  const prepare = async (
    act: (asInvited: { headers: Record<string, string> }) => Promise<string>,
  ): Promise<{ inviter: { headers: Record<string, string> }; left: string; victim: string }> => {
    const { admin: inviter, team } = await flow.stage.createTeam(`reclaimed-${engine}-${++made}`);
    const payload = { email: `victim-${made}@example.com` };
    const invited = await flow.stage.server.inject({
      method: 'POST',
      url: '/api/members',
      headers: inviter.headers,
      payload,
    });
    const { member, signInLink } = invited.json();
    const cookie = await signIn(signInLink);
    const csrf = readCsrfToken((await flow.get('/sign-in', { cookie })).body);
    const left = await act({ headers: { cookie, 'x-csrf-token': csrf } });
    flow.clock.advance(1_000);
    const user = await flow.stage.app.teams.members.get(team.id, member.id);
    const link = await flow.stage.app.teams.members.makeLink(user, COMMAND_LINE);
    return { inviter, left, victim: await signIn(link.address) };
  };

  const expectNothing = async ({ inviter }: { inviter: { headers: Record<string, string> } }, before: number) => {
    assert.equal(flow.exchanges(), before);
    assert.equal((await flow.post('github/token', inviter.headers)).statusCode, 409);
  };

  test("is not finished by the owner's session", async () => {
    const prepared = await prepare(async (asInvited) => (await flow.begin(asInvited)).authorizationUrl);
    const before = flow.exchanges();
    const arrived = await flow.get(flow.consent(prepared.left), { ...BROWSER, cookie: prepared.victim });
    assert.equal(arrived.statusCode, 400);
    await expectNothing(prepared, before);
  });

  test('is not continued through its link', async () => {
    const prepared = await prepare(async (asInvited) => (await flow.begin(asInvited)).connectUrl);
    const { pathname, search } = new URL(prepared.left);
    const opened = await flow.get(`${pathname}${search}`, { ...BROWSER, cookie: prepared.victim });
    assert.equal(opened.statusCode, 410);
  });

  test('is not completed if it was parked', async () => {
    const prepared = await prepare(async (asInvited) => {
      const { authorizationUrl } = await flow.begin(asInvited);
      return expectParked(await flow.arrive(flow.consent(authorizationUrl)));
    });
    const before = flow.exchanges();
    const csrf = readCsrfToken((await flow.get('/sign-in', { cookie: prepared.victim })).body);
    const headers = { cookie: prepared.victim, 'x-csrf-token': csrf };
    assert.equal((await flow.complete({ headers }, prepared.left)).statusCode, 410);
    await expectNothing(prepared, before);
  });

  test('does not keep the owner from connecting', async () => {
    const { victim } = await prepare(async () => '');
    flow.clock.advance(1_000);
    const csrf = readCsrfToken((await flow.get('/sign-in', { cookie: victim })).body);
    const { authorizationUrl } = await flow.begin({ headers: { cookie: victim, 'x-csrf-token': csrf } });
    const arrived = await flow.arrive(flow.consent(authorizationUrl), { cookie: victim });
    assert.equal(arrived.statusCode, 200, arrived.body);
  });
});
