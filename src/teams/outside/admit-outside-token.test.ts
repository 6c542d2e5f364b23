import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { generateKeyPair } from 'jose';
import { createTestApp, createTestClock, type TestApp } from '../../../test/harness/app.ts';
import { onEachEngine, onOneEngine } from '../../../test/harness/databases.ts';
import { startIdentityProvider } from '../../../test/harness/identity-provider.ts';
import { expectProblem, toAnswer } from '../../../test/harness/problem.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { createOutbound, type Engine, OutboundFailed } from '../../platform/index.ts';

/** A new service for each test, with an identity provider for all of them. */
const openHouse = (engine: Engine) => {
  const provider = useStage(() => startIdentityProvider());
  let opened: TestApp | undefined;

  beforeEach(async () => {
    opened = await createTestApp(engine, { env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } });
  });

  afterEach(() => opened?.close());

  const getHouse = (): TestApp => opened ?? assert.fail('There is no service.');

  const get = async (token: string, url = '/api/team') => {
    const response = await getHouse().server.inject({ url, headers: { authorization: `Bearer ${token}` } });
    return { status: response.statusCode, body: response.json() };
  };

  return { provider, getHouse, get };
};

onEachEngine('tokens of an outside identity provider that arrive together', (engine) => {
  const { provider, getHouse, get } = openHouse(engine);

  test('a valid token creates its team and user on first sight, once', async () => {
    const token = await provider.requestToken();
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(token)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array.from({ length: 10 }, () => 200),
    );
    assert.equal(answers[0]?.body.team.name, 'team-of-the-app');
    const { members } = (await get(token, '/api/members')).body;
    assert.equal(members.length, 1);
    assert.equal(members[0].role, 'admin');
    assert.equal(members[0].source, 'identity_provider');
    assert.equal((await getHouse().app.database.all('select id from teams where issuer is not null')).length, 1);
  });
});

onOneEngine('tokens of an outside identity provider', (engine) => {
  const { provider, getHouse, get } = openHouse(engine);

  test('the role is member unless the token says admin, and follows the token', async () => {
    const asMember = await provider.sign({ sub: 'u1', team: 't1' });
    const asAdmin = await provider.sign({ sub: 'u1', team: 't1', role: 'admin', email: 'u1@example.com' });
    const patch = (token: string) =>
      getHouse().server.inject({
        method: 'PATCH',
        url: '/api/team',
        headers: { authorization: `Bearer ${token}` },
        payload: { name: 'n' },
      });
    assert.equal((await patch(asMember)).statusCode, 403);
    assert.equal((await patch(asAdmin)).statusCode, 200);
    assert.equal((await get(asAdmin, '/api/members')).body.members[0].email, 'u1@example.com');
    assert.equal((await patch(await provider.sign({ sub: 'u1', team: 't1', role: 'owner' }))).statusCode, 403);
  });

  test('a claim that equals one of our ids gives no access to our data', async () => {
    const ours = await getHouse().createTeam('ours');
    const token = await provider.sign({ sub: ours.admin.user.id, team: ours.team.id, role: 'admin' });
    const { body } = await get(token);
    assert.notEqual(body.team.id, ours.team.id);
    assert.equal((await get(token, '/api/members')).body.members.length, 1);
  });

  test("one person in two of the provider's teams is a user of each", async () => {
    const first = await get(await provider.sign({ sub: 'u1', team: 't1' }));
    const second = await get(await provider.sign({ sub: 'u1', team: 't2' }));
    assert.notEqual(first.body.team.id, second.body.team.id);
  });

  test('a removed member is not created again', async () => {
    const admin = await provider.sign({ sub: 'boss', team: 't1', role: 'admin' });
    const member = await provider.sign({ sub: 'u1', team: 't1' });
    await get(admin);
    await get(member);
    const { members } = (await get(admin, '/api/members')).body;
    const { id } = members.find(({ role }: { role: string }) => role === 'member');
    await getHouse().server.inject({
      method: 'DELETE',
      url: `/api/members/${id}`,
      headers: { authorization: `Bearer ${admin}` },
    });
    assert.equal((await get(member)).status, 401);
    assert.equal((await get(admin, '/api/members')).body.members.length, 1);
  });

  test("another issuer's team stays closed, which the log says once a minute and the token's owner is not told", async () => {
    await getHouse().app.database.run(
      `insert into teams (id, name, time_zone, payload_days, key, issuer, subject, created_at)
       values ('t-old', 'old', 'UTC', 30, 'acme', 'https://old.example', 'acme', 1)`,
    );
    const tokens = await Promise.all(['u1', 'u2', 'u3'].map((sub) => provider.sign({ sub, team: 'acme' })));
    const answers = await Promise.all(tokens.map((token) => get(token)));
    assert.deepEqual(new Set(answers.map(({ body }) => body.code)), new Set(['http.unauthorized']));
    const warnings = getHouse().lines.filter(({ message }) => message.includes('another issuer'));
    assert.deepEqual(
      warnings.map(({ level, fields }) => [level, fields]),
      [['warn', { teamId: 't-old', issuer: provider.issuer }]],
    );
  });

  test('invalid tokens are rejected', async () => {
    const { privateKey: foreignKey } = await generateKeyPair('RS256');
    const past = Math.floor(Date.now() / 1_000) - 3_600;
    const claims = { sub: 'u1', team: 't1' };
    const unsigned = `${btoa('{"alg":"none"}').replaceAll('=', '')}.${btoa(JSON.stringify({ ...claims, iss: provider.issuer, aud: 'patchbay', exp: past * 2 })).replaceAll('=', '')}.`;
    const bad: Record<string, string> = {
      'another key': await provider.sign(claims, {}, foreignKey),
      'another issuer': await provider.sign({ ...claims, iss: 'https://elsewhere.example' }),
      'another audience': await provider.sign({ ...claims, aud: 'someone-else' }),
      expired: await provider.sign({ ...claims, exp: past }),
      'not yet valid': await provider.sign({ ...claims, nbf: past + 7_200 }),
      'without an end': await provider.sign({ ...claims, exp: undefined }),
      'without a team': await provider.sign({ sub: 'u1' }),
      'without a user': await provider.sign({ team: 't1' }),
      'an empty team': await provider.sign({ sub: 'u1', team: '' }),
      'a number that has lost its last digit': await provider.sign({ sub: 2 ** 53, team: 't1' }),
      'half a character as team': await provider.sign({ sub: 'u1', team: 't\ud800' }),
      'an object as team': await provider.sign({ sub: 'u1', team: { id: 't1' } }),
      'an unknown key id': await provider.sign(claims, { kid: 'unknown' }),
      'a shared secret': await provider.sign(claims, { alg: 'HS256' }, new TextEncoder().encode('x'.repeat(32))),
      unsigned,
    };
    for (const [what, token] of Object.entries(bad)) assert.equal((await get(token)).status, 401, what);
    assert.equal((await getHouse().app.database.all('select id from teams where issuer is not null')).length, 0);
  });

  test('a valid token that names no team or user is told which claim is missing; an invalid one is told nothing', async () => {
    const env = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay', AUTH_TEAM_CLAIM: 'org_id' };
    const other = await createTestApp(engine, { env });
    const ask = async (token: string) =>
      expectProblem(
        toAnswer(await other.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } })),
        401,
        token,
      );
    const noTeam = await ask(await provider.sign({ sub: 'u1', team: 't1' }));
    assert.equal(noTeam.code, 'teams.team_claim_missing');
    assert.match(noTeam.detail, /its claim "org_id" doesn't name a team\. .*AUTH_TEAM_CLAIM/);
    const noUser = await ask(await provider.sign({ sub: '', org_id: 't1' }));
    assert.equal(noUser.code, 'teams.user_claim_missing');
    assert.match(noUser.detail, /its claim "sub" doesn't name a user\. .*AUTH_USER_CLAIM/);
    const { privateKey: foreignKey } = await generateKeyPair('RS256');
    const forged = await ask(await provider.sign({ sub: 'u1' }, {}, foreignKey));
    assert.equal(forged.code, 'http.unauthorized');
    assert.doesNotMatch(forged.detail, /org_id/);
    await other.close();
  });

  test('if the provider is away, its tokens get 503 until it is back, and our own keep working', async (context) => {
    const network = createOutbound({ allowPrivate: true });
    const clock = createTestClock(Date.now());
    let isAway = true;
    const request: typeof network.request = (wanted) =>
      isAway ? Promise.reject(new OutboundFailed('network', 'identity.example')) : network.request(wanted);
    const env = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' };
    const away = await createTestApp(engine, { env, clock, outbound: { ...network, request } });
    context.after(() => away.close());
    const headers = { authorization: `Bearer ${await provider.sign({ sub: 'u1', team: 't1' })}` };
    const ask = () => away.server.inject({ url: '/api/team', headers });
    const { member } = await away.createTeam('ours');
    const outside = await ask();
    assert.equal(outside.statusCode, 503);
    assert.ok(outside.headers['retry-after']);
    assert.equal((await away.server.inject({ url: '/api/team', headers: member.headers })).statusCode, 200);
    isAway = false;
    clock.advance(3_000);
    assert.equal((await ask()).statusCode, 200);
  });
});
