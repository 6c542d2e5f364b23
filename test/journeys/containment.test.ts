import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('what may have leaked', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  /** The tokens that the provider issued for a connection. */
  const tokensOf = async (teamId: string, provider = PROVIDER, name?: string): Promise<string[]> => {
    const tokens = await openTokens(stage.app.vault, await stage.row(teamId, provider, name));
    assert.ok(tokens);
    return [tokens.accessToken.reveal(), ...(tokens.refreshToken ? [tokens.refreshToken.reveal()] : [])];
  };

  const countActive = async (tokens: readonly string[]): Promise<number> =>
    (await Promise.all(tokens.map((token) => stage.oauth.isActive(token)))).filter(Boolean).length;

  const listLifted = async (
    path: string,
    headers: Record<string, string>,
  ): Promise<{ data: { id: string; state: string; liftedAt: string } }[]> =>
    (await stage.ask('GET', `${path}?type=containment.lifted`, headers)).json().events ?? [];

  test('is stopped by a team’s admin, and works again once that is lifted', async () => {
    const { team, at, headers } = await stage.connected();
    const other = await stage.connected();
    assert.equal(await stage.proxyProblem(headers), null);
    const id = await stage.contain(headers, { provider: PROVIDER });
    assert.equal(await stage.proxyProblem(headers), 'integrations.contained');
    assert.equal((await at.refusedToken(PROVIDER, 409)).code, 'integrations.contained');
    const { status, reason } = await at.status(PROVIDER);
    assert.deepEqual([status, reason], ['needs_reconnect', 'contained']);
    assert.equal(await stage.proxyProblem(other.headers), null, 'Another team is not concerned.');
    await stage.doDue();
    const { state, listing, connections } = await stage.get(headers, id);
    assert.deepEqual([state, listing], ['active', false]);
    assert.deepEqual(
      connections.map((one) => [one.team.id, one.provider, one.connection, one.state, one.where]),
      [[team.id, PROVIDER, 'default', null, null]],
    );
    assert.equal(await countActive(await tokensOf(team.id)), 2, 'Nothing is revoked without being asked for.');
    await stage.lift(headers, id);
    assert.equal(await stage.proxyProblem(headers), null);
    assert.equal((await at.status(PROVIDER)).status, 'connected');
    assert.notEqual(await at.token(PROVIDER), '');
  });

  test('is revoked, and a new connect is not concerned', async () => {
    const { team, at, headers } = await stage.connected();
    const tokens = await tokensOf(team.id);
    const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const { state, connections } = await stage.get(headers, id);
    assert.deepEqual([state, connections.map((one) => one.state)], ['finished', ['revoked']]);
    assert.equal(await countActive(tokens), 0);
    const { status, reason } = await at.status(PROVIDER);
    assert.deepEqual([status, reason], ['needs_reconnect', 'contained']);
    await at.connect(PROVIDER, stage.newAccount());
    assert.equal(await stage.proxyProblem(headers), null);
    assert.equal(await countActive(await tokensOf(team.id)), 2);
    assert.deepEqual(
      (await stage.get(headers, id)).connections.map((one) => one.state),
      ['revoked'],
      'The ledger tells what happened then.',
    );
  });

  test('is revoked for each connection to the same account, and not while somebody else uses it', async () => {
    const { team, at, headers } = await stage.connected();
    const account = stage.newAccount();
    for (const connection of ['one', 'two']) await at.connect(PROVIDER, account, { connection });
    const tokens = [...(await tokensOf(team.id, PROVIDER, 'one')), ...(await tokensOf(team.id, PROVIDER, 'two'))];
    const before = stage.oauth.count('revoke');
    const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const { connections } = await stage.get(headers, id);
    assert.deepEqual(
      connections.map((one) => one.state),
      ['revoked', 'revoked', 'revoked'],
    );
    assert.equal(stage.oauth.count('revoke') - before, 3, 'Most providers don’t say whether one ends the others.');
    assert.equal(await countActive(tokens), 0);
    const first = await stage.connected();
    const second = await stage.newTeam();
    const shared = stage.newAccount();
    await first.at.connect(PROVIDER, shared, { connection: 'shared' });
    await second.at.connect(PROVIDER, shared);
    const other = await stage.contain(first.headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.equal((await stage.statesOf(first.headers, other))[shared], 'shared');
    assert.equal(await countActive(await tokensOf(second.team.id)), 2);
  });

  test('is forecast without changing anything', async () => {
    const { team, at, headers } = await stage.connected();
    await at.connect('acme-plain', stage.newAccount());
    const asked = { connectedBefore: new Date(stage.clock.now() + 1).toISOString(), revoke: true, dryRun: true };
    const forecast = await stage.tryToContain(headers, asked);
    assert.equal(forecast.statusCode, 200, forecast.body);
    assert.deepEqual(forecast.json(), {
      dryRun: true,
      connections: 2,
      tokens: 0,
      providers: [
        { provider: PROVIDER, connections: 1, revocation: 'possible', where: null },
        { provider: 'acme-plain', connections: 1, revocation: 'unsupported', where: null },
      ],
    });
    assert.equal(await stage.proxyProblem(headers), null);
    const list = await stage.ask('GET', '/api/containments', headers);
    assert.deepEqual(list.json().containments, []);
    const whole = await stage.tryToContain(OPERATOR, { team: team.id, dryRun: true });
    const { connections, tokens } = whole.json();
    assert.deepEqual([connections, tokens], [2, 2], 'The tokens of the admin and the member.');
    assert.equal((await stage.ask('GET', '/api/team', headers)).statusCode, 200);
  });

  test('is stopped in all teams by the operator, who is told', async () => {
    const one = await stage.connected();
    const other = await stage.connected();
    stage.clock.advance(1);
    const before = new Date(stage.clock.now()).toISOString();
    const id = await stage.contain(OPERATOR, { provider: PROVIDER, connectedBefore: before });
    for (const { headers } of [one, other]) assert.equal(await stage.proxyProblem(headers), 'integrations.contained');
    assert.equal((await stage.ask('GET', `/api/containments/${id}`, one.headers)).statusCode, 404);
    await stage.doDue();
    const { connections } = await stage.get(OPERATOR, id);
    assert.ok(connections.length >= 2);
    const events = await stage.ask('GET', '/api/operator/events?type=containment.started', OPERATOR);
    assert.deepEqual(
      events
        .json()
        .events.map(({ data }: { data: { id: string } }) => data.id)
        .includes(id),
      true,
      events.body,
    );
    await stage.lift(OPERATOR, id);
    for (const { headers } of [one, other]) assert.equal(await stage.proxyProblem(headers), null);
    const [told] = await listLifted('/api/operator/events', OPERATOR);
    assert.deepEqual([told?.data.id, told?.data.state], [id, 'lifted']);
  });

  test('is told to the team once it was lifted, and once only', async () => {
    const { headers } = await stage.connected();
    const id = await stage.contain(headers, { provider: PROVIDER });
    assert.deepEqual(await listLifted('/api/events', headers), []);
    for (let round = 0; round < 2; round++) await stage.lift(headers, id);
    const told = await listLifted('/api/events', headers);
    assert.deepEqual(
      told.map(({ data }) => [data.id, data.state, data.liftedAt]),
      [[id, 'lifted', new Date(stage.clock.now()).toISOString()]],
    );
  });

  test('is a token, with what it was used for', async () => {
    const { at, admin, headers } = await stage.connected();
    await at.connect('acme-plain', stage.newAccount());
    const made = await stage.ask('POST', '/api/tokens', headers, { name: 'on the laptop' });
    const { id: tokenId, token } = made.json<{ id: string; token: string }>();
    const lost = { authorization: `Bearer ${token}` };
    assert.equal(await stage.proxyProblem(lost), null);
    const stopped = await stage.contain(headers, { token: tokenId });
    assert.equal((await stage.ask('GET', '/api/team', lost)).statusCode, 401);
    assert.equal(await stage.proxyProblem(headers), null, 'Only the token is stopped.');
    await stage.lift(headers, stopped);
    assert.equal((await stage.ask('GET', '/api/team', lost)).statusCode, 200);
    const revoked = await stage.contain(headers, { token: tokenId, revoke: true });
    assert.equal(await stage.proxyProblem(headers), 'integrations.contained');
    await stage.doDue();
    const { state, connections } = await stage.get(headers, revoked);
    assert.deepEqual([state, connections.map((row) => row.provider)], ['finished', [PROVIDER]]);
    assert.notEqual(await at.token('acme-plain'), '', 'The token has never used it.');
    const own = await stage.tryToContain(headers, { token: admin.token.split('_')[1] ?? '' });
    assert.ok([404, 409].includes(own.statusCode), own.body);
  });
});
