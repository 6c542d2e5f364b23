import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectConnected, expectParked, startConnectStage, type Team } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

type Column = 'access_token' | 'refresh_token';

onOneEngine('a sealed value that was moved or changed in the database', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, gitlab: {} } }));
  const one = prepare(() => flow.stage.createTeam('one'));
  const other = prepare(() => flow.stage.createTeam('other'));

  before(async () => {
    const connect = async (team: Team, provider: string, connection = 'default') => {
      const { authorizationUrl, cookie } = await flow.begin(team.member, provider, { connection });
      expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), provider);
    };
    for (const team of [one, other]) for (const provider of ['github', 'gitlab']) await connect(team, provider);
    await connect(one, 'github', 'work');
  });

  const readSealed = async ({ team }: Team, provider: string, column: Column, name = 'default'): Promise<string> => {
    const row = await flow.stage.app.database.get<{ sealed: string }>(
      `select ${column} as sealed from connections where team_id = $1 and provider = $2 and name = $3`,
      [team.id, provider, name],
    );
    assert.ok(row?.sealed, `${provider} has a ${column}`);
    return row.sealed;
  };

  const write = ({ team }: Team, provider: string, column: Column, sealed: string) =>
    flow.stage.app.database.run(
      `update connections set ${column} = $1 where team_id = $2 and provider = $3 and name = 'default'`,
      [sealed, team.id, provider],
    );

  const listIssued = (): string[] =>
    ['github', 'gitlab'].flatMap((id) => {
      const { accessToken, refreshToken } = flow.simulator.issued(id);
      return [accessToken, refreshToken].filter((token) => token !== null);
    });

  /** It doesn't hand out a token, and reveals nothing about what it found. */
  const expectNothingHandedOut = async (what: string) => {
    const answer = await flow.post('github/token', one.admin.headers);
    assert.ok(answer.statusCode >= 400, `${what}: ${answer.statusCode}`);
    assert.doesNotMatch(answer.body, /accessToken|v1\./, what);
    const heard = `${answer.body} ${JSON.stringify(flow.stage.lines)}`;
    for (const token of listIssued()) assert.ok(!heard.includes(token), what);
  };

  const withChanged = async (column: Column, sealed: string, act: () => Promise<void>) => {
    const whole = await readSealed(one, 'github', column);
    await write(one, 'github', column, sealed);
    try {
      await act();
    } finally {
      await write(one, 'github', column, whole);
    }
  };

  const listForeign = async (): Promise<Record<string, string>> => ({
    "the same column of the team's other connection": await readSealed(one, 'gitlab', 'access_token'),
    "the other column of the team's other connection": await readSealed(one, 'gitlab', 'refresh_token'),
    "the same column of the team's connection under another name": await readSealed(
      one,
      'github',
      'access_token',
      'work',
    ),
    'the refresh token of the same connection': await readSealed(one, 'github', 'refresh_token'),
    'the same column of another team': await readSealed(other, 'github', 'access_token'),
    'the other column of another team': await readSealed(other, 'github', 'refresh_token'),
    "another team's other connection": await readSealed(other, 'gitlab', 'access_token'),
  });

  test('is handed out to nobody, wherever it was taken from', async () => {
    for (const [what, sealed] of Object.entries(await listForeign()))
      await withChanged('access_token', sealed, () => expectNothingHandedOut(what));
  });

  test("is handed out to nobody with the name of the team's own key put on it", async () => {
    const [, own = ''] = (await readSealed(one, 'github', 'access_token')).split('.');
    const foreign = (await readSealed(other, 'github', 'access_token')).split('.').with(1, own).join('.');
    await withChanged('access_token', foreign, () => expectNothingHandedOut('another team’s, renamed'));
  });

  test('is handed out to nobody with any single byte changed', async () => {
    const parts = (await readSealed(one, 'github', 'access_token')).split('.');
    for (const index of [2, 3]) {
      const bytes = Buffer.from(parts[index] ?? '', 'base64url');
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
        const sealed = parts.with(index, flipped.toString('base64url')).join('.');
        await withChanged('access_token', sealed, () => expectNothingHandedOut(`part ${index}, byte ${at}`));
      }
    }
  });

  test('is handed out to nobody if truncated, emptied, unencrypted or under an unknown key name', async () => {
    const whole = await readSealed(one, 'github', 'access_token');
    const [version = '', key = '', nonce = '', body = ''] = whole.split('.');
    const broken = [
      '',
      'v1',
      '...',
      'gho_a-token-in-the-clear',
      whole.slice(0, -4),
      [version, key, nonce, ''].join('.'),
      [version, key, nonce, body.slice(-22)].join('.'),
      [version, key, '', body].join('.'),
      [version, 'k1', nonce, body].join('.'),
      ['v0', key, nonce, body].join('.'),
    ];
    for (const sealed of broken)
      await withChanged('access_token', sealed, () => expectNothingHandedOut(JSON.stringify(sealed).slice(0, 40)));
  });

  test('opens as before once it is back in its place', async () => {
    assert.equal((await flow.post('github/token', one.admin.headers)).statusCode, 200);
  });

  test('in place of a parked code is not exchanged for anyone', async () => {
    const { database } = flow.stage.app;
    const park = async (person: Team['member']) => {
      const { authorizationUrl } = await flow.begin(person);
      return expectParked(await flow.arrive(flow.consent(authorizationUrl)));
    };
    const readParked = () =>
      database.all<{ digest: string; callback: string; teamId: string }>(
        `select state_digest as digest, callback, team_id as "teamId" from connect_attempts where phase = 'parked'`,
      );
    for (const [mine, theirs] of [
      [one.member, one.admin],
      [one.member, other.member],
    ] as const) {
      const attempt = await park(mine);
      const [own] = await readParked();
      await park(theirs);
      const foreign = (await readParked()).find(({ digest }) => digest !== own?.digest);
      assert.ok(own && foreign);
      await database.run('update connect_attempts set callback = $1 where state_digest = $2', [
        foreign.callback,
        own.digest,
      ]);
      const before = flow.exchanges();
      const answer = await flow.complete(mine, attempt);
      assert.ok(answer.statusCode >= 400, answer.body);
      assert.equal(flow.exchanges(), before);
      await database.run("delete from connect_attempts where phase = 'parked'");
    }
  });

  test('in place of a client secret is sent to no provider', async () => {
    const { database } = flow.stage.app;
    for (const [team, provider] of [
      [one, 'github'],
      [one, 'gitlab'],
      [other, 'github'],
    ] as const) {
      const put = await flow.stage.server.inject({
        method: 'PUT',
        url: `/api/integrations/${provider}/credentials`,
        headers: team.admin.headers,
        payload: { clientId: `client-of-${provider}`, clientSecret: `own secret of ${team.team.name} at ${provider}` },
      });
      assert.equal(put.statusCode, 200, put.body);
    }
    const rows = await database.all<{ teamId: string; provider: string; sealed: string }>(
      'select team_id as "teamId", provider, client_secret as sealed from provider_credentials',
    );
    const foreign = rows.filter(({ teamId, provider }) => teamId !== one.team.id || provider !== 'github');
    assert.equal(foreign.length, 2);
    const before = flow.exchanges();
    for (const { sealed } of [...foreign, { sealed: await readSealed(one, 'github', 'access_token') }]) {
      await database.run('update provider_credentials set client_secret = $1 where team_id = $2 and provider = $3', [
        sealed,
        one.team.id,
        'github',
      ]);
      flow.clock.advance(1_000);
      const { authorizationUrl, cookie } = await flow.begin(one.member);
      const answer = await flow.arrive(flow.consent(authorizationUrl), { cookie });
      assert.ok(answer.statusCode >= 400, answer.body);
    }
    assert.equal(flow.exchanges(), before);
    await database.run('delete from provider_credentials');
    flow.clock.advance(1_000);
  });

  const listForeignRefresh = async (): Promise<Record<string, string>> => ({
    "another team's": await readSealed(other, 'github', 'refresh_token'),
    "the other connection's": await readSealed(one, 'gitlab', 'refresh_token'),
    "another name's": await readSealed(one, 'github', 'refresh_token', 'work'),
    'the access token': await readSealed(one, 'github', 'access_token'),
  });

  test('in place of a refresh token is not sent to the provider, and no token is handed out', async () => {
    flow.clock.advance(30 * 24 * 3_600_000);
    for (const [what, sealed] of Object.entries(await listForeignRefresh())) {
      // Past the end of whatever an earlier refresh holds.
      flow.clock.advance(60_000);
      await withChanged('refresh_token', sealed, () => expectNothingHandedOut(what));
    }
    assert.deepEqual(flow.simulator.requestsOf('github', 'refresh'), []);
  });

  test('in place of a refresh token delays nobody: the failed refresh holds no lease', async () => {
    const sealed = await readSealed(other, 'github', 'refresh_token');
    flow.clock.advance(60_000);
    await withChanged('refresh_token', sealed, () => expectNothingHandedOut('the refresh'));
    const row = await flow.stage.app.database.get<{ leaseUntil: number | null }>(
      'select lease_until as "leaseUntil" from connections where team_id = $1 and provider = $2 and name = $3',
      [one.team.id, 'github', 'default'],
    );
    assert.ok(row);
    assert.ok(row.leaseUntil === null || row.leaseUntil <= flow.clock.now(), 'the lease is still held');
  });
});
