import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { before, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { revokeGrant } from '../../src/integrations/connections/revoke-grant.job.ts';
import { refreshDue } from '../../src/integrations/refresh/refresh-due.job.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { OPERATOR, TEAM } from '../harness/oauth-server.ts';
import { expectProblem } from '../harness/problem.ts';
import { fullRecord, shortRecord, writeProviderFile } from '../harness/provider-file.ts';
import { runCommand } from '../harness/run-command.ts';
import { makeDataDirectory } from '../harness/serve-process.ts';
import { openSession } from '../harness/sessions.ts';
import { bindingOf, createTeamMember, JSON_ONLY, pathOf, type Reply } from '../harness/team-member.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;
const FORMS = ['acme', 'acme-full'] as const;

const expectConnected = (reply: Reply, provider: string, account: string): void => {
  assert.equal(reply.status, 200, reply.body);
  const { account: connected, ...rest } = JSON.parse(reply.body);
  assert.deepEqual(rest, {
    provider,
    connection: 'default',
    outcome: 'connected',
    siteNeeded: false,
    previousAccount: null,
  });
  assert.deepEqual(connected, { id: account, label: `${account}@example.com` });
};

onOneEngine('integrations with a real OAuth server', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  const oauth = prepare(async () => stage.oauth);
  let account: string;

  beforeEach(() => {
    account = stage.newAccount();
  });

  /** Runs the job of each waiting revocation now instead of in half a minute. */
  const hurryRevocations = async (teamId: string): Promise<void> => {
    const { database, jobs } = stage.app;
    const rows = await database.all<{ id: string }>('select id from revocations where team_id = $1', [teamId]);
    assert.ok(rows.length > 0, 'A revocation waits.');
    await database.transaction(async (tx) => {
      for (const { id } of rows) await jobs.enqueue(tx, revokeGrant, { teamId, revocationId: id });
    });
  };

  for (const provider of FORMS) {
    test(`${provider}: connects through the API, and the status is right before and after`, async () => {
      const { at, admin, team } = await stage.newTeam();
      const before = await at.status(provider);
      assert.equal(before.status, 'disconnected');
      assert.equal(before.account, null);
      assert.equal(before.connection, 'default');
      const begun = await stage.ask('POST', `/api/integrations/${provider}/connect`, at.headers, {
        scopes: ['profile'],
      });
      assert.equal(begun.status, 200, begun.body);
      const { authorizationUrl, connectUrl, expiresAt, ...rest } = JSON.parse(begun.body);
      assert.deepEqual(rest, { provider, connection: 'default', replaces: null });
      assert.equal(Date.parse(expiresAt) - stage.clock.now(), 600_000);
      assert.ok(connectUrl.includes(`/api/integrations/${provider}/connect?ticket=`));
      const asked = new URL(authorizationUrl).searchParams;
      assert.equal(new URL(authorizationUrl).origin, oauth.issuer);
      assert.deepEqual(new Set(asked.get('scope')?.split(' ')), new Set(['openid', 'offline_access', 'profile']));
      assert.equal(asked.get('code_challenge_method'), 'S256');
      assert.equal((await at.status(provider)).status, 'disconnected', 'Beginning changes nothing.');

      const callback = await oauth.consent(authorizationUrl, { account });
      assert.equal(new URL(callback).searchParams.get('iss'), oauth.issuer);
      const arrived = await stage.ask('GET', pathOf(callback), { ...JSON_ONLY, cookie: bindingOf(begun) });
      assert.equal(arrived.status, 200, arrived.body);

      const { connectedBy, ...after } = await at.status(provider);
      assert.equal(connectedBy?.id, admin.user.id);
      assert.deepEqual(
        { ...after, scopes: [...after.scopes].sort() },
        {
          provider,
          connection: 'default',
          name: before.name,
          status: 'connected',
          reason: null,
          // The label is the email address, which this scope doesn't reveal.
          account: { id: account, label: account },
          site: null,
          installation: null,
          siteNeeded: false,
          scopes: ['offline_access', 'openid', 'profile'],
          missingScopes: [],
          connectedAt: new Date(stage.clock.now()).toISOString(),
          expiresAt: new Date(stage.clock.now() + HOUR_MS).toISOString(),
          reconnectBefore: null,
          lastRefreshedAt: null,
          lastUsedAt: null,
          lastError: null,
          troubleSince: null,
          nextTryAt: null,
          refreshFailures: 0,
        },
      );
      const stranger = await stage.newTeam();
      assert.equal((await stranger.at.status(provider)).status, 'disconnected', `Nobody but ${team.name} has it.`);
    });

    test(`${provider}: connects from a plain link, with a session and with a bearer token`, async () => {
      const { admin, at } = await stage.newTeam();
      const session = await openSession(stage, admin.user);
      for (const headers of [session.headers, admin.headers]) {
        const link = await stage.ask('GET', `/api/integrations/${provider}/connect?scopes=email&returnTo=/done%3Fa=b`, {
          ...headers,
          accept: 'text/html',
        });
        assert.equal(link.status, 302, link.body);
        const callback = await oauth.consent(link.headers['location'] ?? '', { account });
        const arrived = await stage.ask('GET', pathOf(callback), { accept: 'text/html', cookie: bindingOf(link) });
        assert.equal(arrived.status, 303, arrived.body);
        assert.equal(arrived.headers['location'], `/done?a=b&provider=${provider}&outcome=connected`);
        assert.equal((await at.status(provider)).status, 'connected');
        await at.disconnect(provider);
      }
      const page = await stage.ask('GET', `/api/integrations/${provider}/connect`, { accept: 'text/html' });
      assert.equal(page.status, 303);
      assert.match(page.headers['location'] ?? '', /^\/sign-in\?returnTo=/);
      expectProblem(await stage.ask('GET', `/api/integrations/${provider}/connect`, JSON_ONLY), 401, 'no caller');
    });

    test(`${provider}: without the cookie, nothing is exchanged until the user who started completes it`, async () => {
      const { at } = await stage.newTeam();
      const { path } = await at.goToProvider(provider, account);
      const exchanges = oauth.count('code');
      const parked = await stage.ask('GET', path, JSON_ONLY);
      assert.equal(parked.status, 202, parked.body);
      const { attempt, ...rest } = JSON.parse(parked.body);
      assert.deepEqual(rest, { provider, outcome: 'confirm' });
      assert.equal(oauth.count('code'), exchanges, 'No token request yet.');
      const complete = () => stage.ask('POST', `/api/integrations/${provider}/complete`, at.headers, { attempt });
      expectConnected(await complete(), provider, account);
      expectProblem(await complete(), 409, 'a second time');
      assert.equal(oauth.count('code'), exchanges + 1);
      assert.equal((await at.status(provider)).status, 'connected');
    });

    test(`${provider}: a denied consent is a failed outcome, and nothing is connected`, async () => {
      const { at } = await stage.newTeam();
      const link = await stage.ask('GET', `/api/integrations/${provider}/connect?returnTo=/done`, at.headers);
      const callback = await oauth.consent(link.headers['location'] ?? '', { account, answer: 'deny' });
      const arrived = await stage.ask('GET', pathOf(callback), { accept: 'text/html', cookie: bindingOf(link) });
      assert.equal(
        arrived.headers['location'],
        `/done?provider=${provider}&outcome=failed&error=integrations.access_denied`,
      );
      assert.equal((await at.status(provider)).status, 'disconnected');
    });

    test(`${provider}: a callback that names another issuer or none is refused without a token request`, async () => {
      const { at } = await stage.newTeam();
      const exchanges = oauth.count('code');
      for (const iss of ['https://elsewhere.example', null]) {
        const { path, cookie } = await at.goToProvider(provider, account);
        const callback = new URL(path, 'http://localhost');
        callback.searchParams.delete('iss');
        if (iss) callback.searchParams.set('iss', iss);
        const arrived = await stage.ask('GET', `${callback.pathname}${callback.search}`, { ...JSON_ONLY, cookie });
        assert.equal(expectProblem(arrived, 400, `iss ${iss}`).code, 'integrations.issuer_wrong');
      }
      assert.equal(oauth.count('code'), exchanges);
    });

    test(`${provider}: a token is handed out, refreshed with rotation when due, and works at the provider`, async () => {
      const { at, member } = await stage.newTeam();
      await at.connect(provider, account);
      const first = await at.token(provider);
      assert.equal(await oauth.whoIs(first), account);
      const refreshes = oauth.count('refresh');
      assert.equal(await at.token(provider), first, 'What is not due is not refreshed.');
      assert.equal(oauth.count('refresh'), refreshes);

      const known = new Set([first]);
      const spent = [oauth.issued.at(-1)?.refreshToken ?? ''];
      for (let turn = 1; turn <= 3; turn++) {
        stage.clock.advance(HOUR_MS - 60_000);
        const token = await at.token(provider);
        assert.ok(!known.has(token), 'A new token.');
        known.add(token);
        assert.equal(await oauth.whoIs(token), account);
        assert.equal(oauth.count('refresh'), refreshes + turn);
        const sent = oauth.seen.findLast(({ kind }) => kind === 'refresh')?.params.get('refresh_token');
        assert.equal(sent, spent.at(-1), 'With the newest refresh token.');
        spent.push(oauth.issued.at(-1)?.refreshToken ?? '');
      }
      assert.equal(new Set(spent).size, spent.length, 'Each refresh token was new.');
      const { status, lastRefreshedAt, expiresAt } = await at.status(provider);
      assert.equal(status, 'connected');
      assert.equal(Date.parse(lastRefreshedAt ?? ''), stage.clock.now());
      assert.equal(Date.parse(expiresAt ?? ''), stage.clock.now() + HOUR_MS);

      const asMember = await stage.ask('POST', `/api/integrations/${provider}/token`, member.headers);
      expectProblem(asMember, 403, 'a member');
    });

    test(`${provider}: after a disconnect, the provider accepts none of the tokens`, async () => {
      const { at } = await stage.newTeam();
      await at.connect(provider, account);
      const accessToken = await at.token(provider);
      const refreshToken = oauth.issued.at(-1)?.refreshToken ?? '';
      assert.equal(await oauth.isActive(refreshToken), true);
      assert.equal(await at.disconnect(provider), 'revoked');
      assert.equal(await oauth.whoIs(accessToken), null);
      assert.equal(await oauth.isActive(accessToken), false);
      assert.equal(await oauth.isActive(refreshToken), false);
      assert.equal((await at.status(provider)).status, 'disconnected');
      assert.equal((await at.refusedToken(provider, 409)).code, 'integrations.not_connected');
      assert.equal(await at.disconnect(provider), 'not_connected', 'Idempotent.');
      const left = await stage.app.database.all('select id from revocations');
      assert.deepEqual(left, [], 'Nothing waits to be revoked.');
    });

    test(`${provider}: of two teams with one account, only the last to disconnect revokes the grant`, async () => {
      const [one, two] = [await stage.newTeam(), await stage.newTeam()];
      await one.at.connect(provider, account);
      await two.at.connect(provider, account);
      const revocations = oauth.count('revoke');
      assert.equal(await one.at.disconnect(provider), 'shared');
      assert.equal(oauth.count('revoke'), revocations);
      const token = await two.at.token(provider);
      assert.equal(await oauth.whoIs(token), account, 'The other team goes on.');
      assert.equal(await two.at.disconnect(provider), 'revoked');
      assert.equal(await oauth.whoIs(token), null);
    });

    test(`${provider}: the team's own client is used instead of the operator's`, async () => {
      const { at } = await stage.newTeam();
      const put = await stage.ask('PUT', `/api/integrations/${provider}/credentials`, at.headers, {
        clientId: TEAM.id,
        clientSecret: TEAM.secret,
      });
      assert.equal(put.status, 200, put.body);
      assert.ok(!put.body.includes(TEAM.secret));
      const from = oauth.seen.length;
      await at.connect(provider, account);
      stage.clock.advance(HOUR_MS);
      assert.equal(await oauth.whoIs(await at.token(provider)), account);
      assert.equal(await at.disconnect(provider), 'revoked');
      const clients = oauth.seen
        .slice(from)
        .filter(({ kind, clientId }) => clientId !== null && kind !== 'other' && kind !== 'discovery')
        .map(({ kind, clientId }) => `${kind} ${clientId}`);
      for (const kind of ['authorize', 'code', 'refresh', 'revoke'])
        assert.ok(clients.includes(`${kind} ${TEAM.id}`), `${kind}: ${clients}`);
      assert.ok(!clients.some((line) => line.endsWith(` ${OPERATOR.id}`)), String(clients));
      const removed = await stage.ask('DELETE', `/api/integrations/${provider}/credentials`, at.headers);
      assert.equal(removed.status, 204);
      const again = oauth.seen.length;
      await at.connect(provider, account);
      assert.ok(oauth.seen.slice(again).some(({ kind, clientId }) => kind === 'code' && clientId === OPERATOR.id));
    });
  }

  test('without revocation, a disconnect is unsupported at the provider and erases the tokens here', async () => {
    const { at } = await stage.newTeam();
    await at.connect('acme-plain', account);
    assert.equal(await at.disconnect('acme-plain'), 'unsupported');
    assert.equal((await at.status('acme-plain')).status, 'disconnected');
    await at.refusedToken('acme-plain', 409);
  });

  test('a ticket link asks for confirmation, unless the browser is signed in as the same user', async () => {
    const { at, admin } = await stage.newTeam();
    const session = await openSession(stage, admin.user);
    for (const cookie of ['', session.cookie]) {
      const begun = await stage.ask('POST', '/api/integrations/acme/connect', at.headers);
      const { pathname, search } = new URL(JSON.parse(begun.body).connectUrl);
      const link = await stage.ask('GET', `${pathname}${search}`, { accept: 'text/html', cookie });
      assert.equal(link.status, 302, link.body);
      expectProblem(await stage.ask('GET', `${pathname}${search}`, JSON_ONLY), 410, 'the ticket a second time');
      const callback = await oauth.consent(link.headers['location'] ?? '', { account });
      const carried = [cookie, bindingOf(link)].filter((one) => one !== '').join('; ');
      const arrived = await stage.ask('GET', pathOf(callback), { ...JSON_ONLY, cookie: carried });
      assert.equal(arrived.status, cookie === '' ? 202 : 200, arrived.body);
    }
  });

  describe('with running jobs', () => {
    before(() => stage.app.jobs.start());

    test('the background job refreshes what is due without being asked', async () => {
      const { at, team } = await stage.newTeam();
      await at.connect('acme', account);
      const first = await at.token('acme');
      const { generation } = await stage.row(team.id, 'acme');
      stage.clock.advance(HOUR_MS - 60_000);
      await stage.app.database.transaction((tx) => stage.app.jobs.enqueue(tx, refreshDue, {}));
      await waitUntil('it was refreshed', async () => (await stage.row(team.id, 'acme')).generation > generation);
      const { status, lastRefreshedAt } = await at.status('acme');
      assert.equal(status, 'connected');
      assert.ok(lastRefreshedAt);
      const second = await at.token('acme');
      assert.notEqual(second, first);
      assert.equal(await oauth.whoIs(second), account);
      assert.equal(
        (await stage.row(team.id, 'acme')).generation,
        generation + 1,
        'The hand-out had nothing left to do.',
      );
    });

    test('reconnecting with another account ends the old grant, and with the same account does not', async () => {
      const { at } = await stage.newTeam();
      const other = stage.newAccount();
      await at.connect('acme', account);
      const old = await at.token('acme');
      await at.connect('acme', account);
      const same = await at.token('acme');
      assert.equal(await oauth.whoIs(same), account);
      assert.equal(await oauth.whoIs(old), account);
      await at.connect('acme', other);
      assert.deepEqual((await at.status('acme')).account, { id: other, label: `${other}@example.com` });
      await waitUntil('the old grant is gone', async () => (await oauth.whoIs(same)) === null);
      assert.equal(await oauth.whoIs(await at.token('acme')), other);
    });

    test('reconnecting with another account leaves a grant alone that another team uses', async () => {
      const [one, two] = [await stage.newTeam(), await stage.newTeam()];
      await one.at.connect('acme', account);
      await two.at.connect('acme', account);
      const revocations = oauth.count('revoke');
      await one.at.connect('acme', stage.newAccount());
      const { database } = stage.app;
      await waitUntil('the revocation is over', async () => {
        const rows = await database.all('select id from revocations where team_id = $1', [one.team.id]);
        return rows.length === 0;
      });
      assert.equal(oauth.count('revoke'), revocations, 'The provider was not asked.');
      assert.equal(await oauth.whoIs(await two.at.token('acme')), account, "The other team's connection still works.");
    });

    test('a late revocation leaves a new connection to the same account alone', async () => {
      const { at, team } = await stage.newTeam();
      await at.connect('acme', account);
      oauth.fail('revoke', ({ response }) => void response.writeHead(503).end());
      assert.equal(await at.disconnect('acme'), 'failed_will_retry');
      await at.connect('acme', account);
      await hurryRevocations(team.id);
      await waitUntil('the revocation is over', async () => {
        const rows = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
        return rows.length === 0;
      });
      assert.equal(await oauth.whoIs(await at.token('acme')), account, 'The new connection works.');
    });

    test("a revocation waits while its client is not set up, and doesn't blame the provider", async () => {
      const { at, team } = await stage.newTeam();
      const address = '/api/integrations/acme-full/credentials';
      const own = { clientId: TEAM.id, clientSecret: TEAM.secret };
      assert.equal((await stage.ask('PUT', address, at.headers, own)).status, 200);
      await at.connect('acme-full', account);
      assert.equal((await stage.ask('DELETE', address, at.headers)).status, 204);
      assert.equal(await at.disconnect('acme-full'), 'failed_will_retry');
      const told = stage.lines.length;
      await hurryRevocations(team.id);
      const since = () => inspect(stage.lines.slice(told), { depth: 9 });
      await waitUntil('the log says what is missing', async () => since().includes('made with is no longer set up'));
      assert.doesNotMatch(since(), /rejects the client ID and secret/);
      await stage.app.database.run('delete from revocations where team_id = $1', [team.id]);
    });

    test('a failed revocation is retried by the job', async () => {
      const { at, team } = await stage.newTeam();
      await at.connect('acme', account);
      const token = await at.token('acme');
      oauth.fail('revoke', ({ response }) => void response.writeHead(503).end());
      assert.equal(await at.disconnect('acme'), 'failed_will_retry');
      assert.equal((await at.status('acme')).status, 'disconnected');
      assert.equal(await oauth.whoIs(token), account, 'Not revoked yet.');
      await hurryRevocations(team.id);
      await waitUntil('it is revoked', async () => (await oauth.whoIs(token)) === null);
      await waitUntil('the record is gone', async () => {
        const rows = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
        return rows.length === 0;
      });
    });

    test('a revocation that is past its time is given up, and the token goes nowhere anymore', async () => {
      const { at, team } = await stage.newTeam();
      await at.connect('acme', account);
      const token = await at.token('acme');
      oauth.fail('revoke', ({ response }) => void response.writeHead(503).end());
      assert.equal(await at.disconnect('acme'), 'failed_will_retry');
      const { database, clock } = stage.app;
      await database.run('update revocations set expires_at = $1 where team_id = $2', [clock.now(), team.id]);
      await hurryRevocations(team.id);
      await waitUntil('the record is gone', async () => {
        const rows = await database.all('select id from revocations where team_id = $1', [team.id]);
        return rows.length === 0;
      });
      assert.equal(await oauth.whoIs(token), account);
    });
  });
});

onEachEngine('the status of integrations', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));

  test('has a change at once, also for those who asked right before it', async () => {
    const { at } = await stage.newTeam();
    const held = holdAnswer(stage.app.database, 'all', 'from connections where team_id');
    const before = at.status('acme');
    await held.answered;
    await at.connect('acme', stage.newAccount());
    held.release();
    await before;
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test('has changes in another process within a second', async () => {
    const { at } = await stage.newTeam();
    const other = await stage.openOther();
    const there = createTeamMember(other.ask, at.headers, stage.oauth);
    assert.equal((await there.status('acme')).status, 'disconnected');
    await at.connect('acme', stage.newAccount());
    stage.clock.advance(999);
    assert.equal((await there.status('acme')).status, 'connected');
  });
});

describe('an unusable file of custom providers', () => {
  const issuer = 'http://127.0.0.1:9';
  /** Has the port, so that a service that starts by mistake ends, too. */
  const listener = useStage(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  });

  const start = async (content: unknown, env: Record<string, string> = {}) => {
    const file = writeProviderFile(content);
    const data = makeDataDirectory();
    const settings = { PATCHBAY_DATA: data.path, PATCHBAY_PROVIDERS: file.path, PORT: String(listener.port), ...env };
    const { code, stdout, stderr } = await runCommand(['serve'], settings);
    file.remove();
    data.remove();
    return { path: file.path, code, stdout, stderr, lines: stderr.split('\n').filter((line) => line !== '') };
  };

  const cases: Record<string, { content: unknown; says: RegExp[] }> = {
    'is not JSON': { content: '[{', says: [/is not valid JSON/] },
    'is no array': { content: shortRecord(issuer), says: [/array/] },
    'has wrong fields in two entries': {
      content: [
        { ...shortRecord(issuer), scopes: 'email' },
        fullRecord(issuer, { token: { url: `${issuer}/token`, auth: 'magic' }, colour: 'red' }),
      ],
      says: [/entry 1: \/scopes /, /entry 2: \/token\/auth /, /entry 2: \/ .*"colour"/],
    },
    'uses a placeholder that nothing fills': {
      content: [fullRecord(issuer, { token: { url: `${issuer}/{tenant}/token` } })],
      says: [/entry 1: \/token\/url .*\{tenant\}/],
    },
    'names one id twice': { content: [shortRecord(issuer), shortRecord(issuer)], says: [/"acme" appears twice/] },
  };

  for (const [what, { content, says }] of Object.entries(cases))
    test(`${what}: the service refuses to start and names the file and the field`, async () => {
      const { path, code, stdout, stderr, lines } = await start(content);
      assert.equal(code, 2, stdout);
      assert.ok(lines.length >= says.length, stderr);
      for (const line of lines) assert.ok(line.includes(path), line);
      for (const pattern of says)
        assert.ok(
          lines.some((line) => pattern.test(line)),
          `${pattern}: ${lines.join('\n')}`,
        );
    });

  test('has plain http in production: the service refuses to start', async () => {
    const { code, stderr } = await start([shortRecord(issuer), fullRecord(issuer)], {
      NODE_ENV: 'production',
      PATCHBAY_KEYS: 'k1:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=',
    });
    assert.equal(code, 2);
    assert.match(stderr, /entry 1: \/issuer must be https/);
    assert.match(stderr, /entry 2: \/token\/url must be https/);
  });
});
