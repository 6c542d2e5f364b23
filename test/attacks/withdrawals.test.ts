import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import type { Server } from '../../src/http/index.ts';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { getConnection, insertConnection } from '../../src/integrations/connections/connection-store.ts';
import type { Engine } from '../../src/platform/index.ts';
import { createTestLog, type Person } from '../harness/app.ts';
import { expectConnected, startConnectStage, type Team } from '../harness/connect-flow.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { followEvents } from '../harness/follow-events.ts';
import { holdTransaction } from '../harness/hold-database.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Sent, signAsSlack, signAsSquare, slackEvent, squareEvent } from '../harness/withdrawal-senders.ts';

const SLACK_SECRETS = ['slack-signing-secret', 'slack-signing-secret-before'] as const;
const SQUARE_SECRET = 'square-signature-key';
const UNINSTALLED = { type: 'app_uninstalled' };
const ENDED = ['needs_reconnect', 'withdrawn'];
const CONNECTED = ['connected', null];

const ACME: FullRecord = {
  ...{ id: 'acme-org', name: 'Acme', scopes: ['read'], pkce: 'off' },
  authorize: { url: 'https://acme.example/authorize' },
  token: { url: 'https://acme.example/token' },
  identity: { url: 'https://acme.example/me', id: 'org.id', label: 'org.name', keep: { user: 'id' } },
  webhook: {
    operator: { about: 'In the settings of the app.' },
    signatures: [
      {
        ...{ algorithm: 'hmac-sha256', at: ['{header:x-acme-signature}'], prefix: 'sha256=', encoding: 'base64' },
        signed: '{timestamp}.{url}.{body}',
        timestamp: { at: ['{header:x-acme-timestamp}'], unit: 'seconds', toleranceSeconds: 60 },
      },
    ],
    type: ['{body:type}'],
    repeats: 'digest',
    about: { account: ['{body:org_id}'] },
    withdrawn: { 'user.removed': { account: 'org_id', at: ['sent_at'], only: { user: ['user_ids'] } } },
  },
};

/** The service of a suite, and what its providers send. */
const useHouse = (engine: Engine) => {
  const stage = useStage(() =>
    startConnectStage(engine, {
      providers: { slack: {}, square: {}, github: {} },
      custom: [ACME],
      env: { OAUTH_SLACK_WEBHOOK_SECRET: SLACK_SECRETS.join(', '), OAUTH_SQUARE_WEBHOOK_SECRET: SQUARE_SECRET },
    }),
  );
  let made = 0;
  const newAccount = (): string => `T${++made}`;
  const newTeam = (): Promise<Team> => stage.stage.createTeam(`team-${++made}`);
  const secondsNow = (): number => Math.floor(stage.clock.now() / 1_000);

  const connect = async (person: Person, provider: string, account: string, connection = 'default') => {
    const begun = await stage.begin(person, provider, { connection });
    const path = stage.consent(begun.authorizationUrl, { account });
    expectConnected(await stage.arrive(path, { cookie: begun.cookie }), provider);
    stage.clock.advance(2_000);
  };

  const send = async (
    { path, headers, body }: Sent,
    { server = stage.stage.server, address = '192.0.2.1' }: { server?: Server; address?: string } = {},
  ) => {
    const options = { method: 'POST' as const, url: path, headers, payload: body, remoteAddress: address };
    return toAnswer(await server.inject(options));
  };

  const slack = (team: string, event: object = UNINSTALLED, seconds = secondsNow()): Sent =>
    signAsSlack(slackEvent(event, { team, seconds }), SLACK_SECRETS[0], secondsNow());
  const square = (merchant: string, at = stage.clock.now()): Sent =>
    signAsSquare(squareEvent({ merchant, at }), SQUARE_SECRET);

  const expectTaken = async (sent: Sent, what = 'taken') => {
    const { status, body } = await send(sent);
    assert.deepEqual([status, body], [200, ''], what);
  };

  const statusOf = async ({ headers }: Person, provider: string, connection = 'default') => {
    const { integrations } = (await stage.get('/api/integrations/status', headers)).json();
    const found = integrations.find(
      (one: { provider: string; connection: string }) => one.provider === provider && one.connection === connection,
    );
    return [found.status, found.reason];
  };

  const listAudited = async ({ headers }: Person) => {
    const { events } = (await stage.get('/api/audit?limit=100', headers)).json();
    return events.filter(({ action }: { action: string }) => action === 'integration.withdrawn');
  };

  return { stage, newAccount, newTeam, secondsNow, connect, send, slack, square, expectTaken, statusOf, listAudited };
};

onEachEngine('a message that access was withdrawn', (engine) => {
  const { stage, newAccount, newTeam, connect, send, slack, square, expectTaken, statusOf, listAudited } =
    useHouse(engine);

  test('ends every connection to that account at once, in every team, with an event and an audit entry', async () => {
    const account = newAccount();
    const [one, other] = [await newTeam(), await newTeam()];
    await connect(one.member, 'slack', account);
    await connect(one.member, 'slack', account, 'second');
    await connect(one.member, 'slack', newAccount(), 'third');
    await connect(other.member, 'slack', account);
    await statusOf(one.member, 'slack');
    const log = await followEvents(stage.stage.server, one.member.headers);
    await expectTaken(slack(account));
    for (const connection of ['default', 'second'])
      assert.deepEqual(await statusOf(one.member, 'slack', connection), ENDED, connection);
    assert.deepEqual(await statusOf(one.member, 'slack', 'third'), CONNECTED);
    assert.deepEqual(await statusOf(other.member, 'slack'), ENDED);
    const [message, ...events] = await log.next();
    assert.deepEqual([message?.type, message?.data['type']], ['provider.event', 'app_uninstalled']);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['status'], data['reason']]),
      [1, 2].map(() => ['connection.needs_reconnect', ...ENDED]),
    );
    const [entry] = await listAudited(other.admin);
    assert.deepEqual(entry.actor.kind, 'service');
    assert.deepEqual(entry.detail, { connection: 'default', account: `${account}@example.com` });
    const token = await stage.post('slack/token', other.admin.headers);
    assert.equal(expectProblem(toAnswer(token), 409, 'the token').code, 'integrations.needs_reconnect');
  });

  test('is seen at once, also by those who asked for the status while it was being written', async () => {
    const account = newAccount();
    const { member } = await newTeam();
    await connect(member, 'slack', account);
    const held = holdTransaction(stage.stage.app.database);
    const taken = expectTaken(slack(account));
    await held.worked;
    assert.deepEqual(await statusOf(member, 'slack'), CONNECTED);
    held.release();
    await taken;
    assert.deepEqual(await statusOf(member, 'slack'), ENDED);
  });

  test('does nothing more if it is sent again, or comes late', async () => {
    const account = newAccount();
    const { admin, member } = await newTeam();
    await connect(member, 'square', account);
    const early = square(account, stage.clock.now() - 1_000);
    const sent = square(account);
    await expectTaken(sent);
    const log = await followEvents(stage.stage.server, member.headers);
    for (const again of [sent, early, sent]) await expectTaken(again);
    assert.deepEqual(await log.next(), []);
    assert.equal((await listAudited(admin)).length, 1);
    stage.clock.advance(2_000);
    await connect(member, 'square', account);
    for (const old of [sent, early]) await expectTaken(old, 'older than the reconnect');
    assert.deepEqual(await statusOf(member, 'square'), CONNECTED);
    assert.equal((await listAudited(admin)).length, 1);
    await expectTaken(square(account));
    assert.deepEqual(await statusOf(member, 'square'), ENDED, 'A new one counts.');
  });

  /** Gives the same grant more names. */
  const copyConnection = async (teamId: string, times: number): Promise<void> => {
    const { database, newId } = stage.stage.app;
    const row = await getConnection(database, { teamId, provider: 'square', name: 'default' });
    assert.ok(row);
    for (let index = 0; index < times; index++)
      await insertConnection(database, { ...row, id: newId(), name: `copy-${index}` });
  };

  test('ends those that were left by an interruption, however many have ended before them', async () => {
    const account = newAccount();
    const { team, member } = await newTeam();
    await connect(member, 'square', account);
    await copyConnection(team.id, 149);
    const { database } = stage.stage.app;
    await database.run(
      `update connections set status = 'needs_reconnect', reason = 'withdrawn', refresh_due_at = null
        where id in (select id from connections where team_id = $1 order by id limit 40)`,
      [team.id],
    );
    await expectTaken(square(account));
    const rows = await database.all<{ status: string; generation: number; n: number }>(
      'select status, generation, count(*) as n from connections where team_id = $1 group by status, generation order by generation',
      [team.id],
    );
    assert.deepEqual(
      rows.map(({ status, generation, n }) => [status, Number(generation), Number(n)]),
      [
        ['needs_reconnect', 1, 40],
        ['needs_reconnect', 2, 110],
      ],
    );
  });

  test('ends each connection once, however many arrive at two processes at the same time', async () => {
    const account = newAccount();
    const { team, admin, member } = await newTeam();
    await connect(member, 'square', account);
    await copyConnection(team.id, 120);
    const { database } = stage.stage.app;
    const { outbound } = stage.simulator;
    const other = buildApp(stage.stage.config, { clock: stage.clock, outbound, log: createTestLog().log });
    const server = await other.createServer();
    try {
      const log = await followEvents(stage.stage.server, member.headers);
      const sent = square(account);
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => send(sent, index % 2 === 0 ? {} : { server })),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const events = await log.next();
      assert.equal(events.filter(({ type }) => type === 'provider.event').length, 1, 'It is one event.');
      const ends = events.filter(({ type }) => type !== 'provider.event');
      const told = ends.map(({ type, data }) => `${type} ${data['connection']}`);
      assert.equal(told.length, 121);
      assert.equal(new Set(told).size, 121);
      const left = await database.get<{ n: number }>(
        "select count(*) as n from connections where team_id = $1 and (status <> 'needs_reconnect' or generation <> 2)",
        [team.id],
      );
      assert.equal(left?.n, 0);
      const entries = await database.get<{ n: number }>(
        "select count(*) as n from audit_events where team_id = $1 and action = 'integration.withdrawn'",
        [team.id],
      );
      assert.equal(entries?.n, 121);
      assert.equal((await listAudited(admin)).length, 100, 'A page of them.');
    } finally {
      await server.close();
      await other.close();
    }
  });

  test('is not undone by a refresh that began before it', async () => {
    const account = newAccount();
    const { team, admin, member } = await newTeam();
    await connect(member, 'slack', account);
    const { expiresAt } = stage.simulator.issued('slack');
    stage.clock.advance((expiresAt ?? assert.fail()) - stage.clock.now() - 60_000);
    const withdrawn = Promise.withResolvers<void>();
    stage.simulator.fail('slack', 'refresh', { until: withdrawn.promise });
    const before = stage.simulator.requestsOf('slack', 'refresh').length;
    const handedOut = stage.post('slack/token', admin.headers);
    await waitUntil('the refresh is under way', () => stage.simulator.requestsOf('slack', 'refresh').length > before);
    await expectTaken(slack(account)).finally(withdrawn.resolve);
    const answer = toAnswer(await handedOut);
    assert.equal(expectProblem(answer, 409, 'the token').code, 'integrations.needs_reconnect');
    assert.deepEqual(await statusOf(member, 'slack'), ENDED);
    const row = await getConnection(stage.stage.app.database, { teamId: team.id, provider: 'slack', name: 'default' });
    assert.deepEqual([row?.refreshDueAt, row?.leaseUntil, row?.refreshBegunAt], [null, null, null]);
  });

  test('leaves no secret in the log', () => {
    const text = JSON.stringify(stage.stage.lines);
    for (const secret of [...SLACK_SECRETS, SQUARE_SECRET]) assert.ok(!text.includes(secret));
  });
});

onOneEngine('what a provider sends about access', (engine) => {
  const { stage, newAccount, newTeam, secondsNow, connect, send, slack, square, expectTaken, statusOf, listAudited } =
    useHouse(engine);

  test('counts if it happened in the same second as the connect', async () => {
    const account = newAccount();
    const { member } = await newTeam();
    const begun = await stage.begin(member, 'slack');
    stage.clock.advance(700 - (stage.clock.now() % 1_000));
    expectConnected(await stage.arrive(stage.consent(begun.authorizationUrl, { account }), begun), 'slack');
    await expectTaken(slack(account));
    assert.deepEqual(await statusOf(member, 'slack'), ENDED);
  });

  test('of some users ends only theirs', async () => {
    const account = newAccount();
    const [theirs, others] = [await newTeam(), await newTeam()];
    for (const { member } of [theirs, others]) await connect(member, 'slack', account);
    const { database } = stage.stage.app;
    const details = JSON.stringify({ user_id: 'U-other' });
    await database.run('update connections set details = $2 where team_id = $1', [others.team.id, details]);
    const revoke = (tokens: object) => expectTaken(slack(account, { type: 'tokens_revoked', tokens }));
    for (const tokens of [{}, { oauth: [], bot: [] }, { oauth: ['U-nobody'] }]) await revoke(tokens);
    assert.deepEqual(await statusOf(theirs.member, 'slack'), CONNECTED);
    await revoke({ oauth: ['U-nobody'], bot: [`user_id-${account}`] });
    assert.deepEqual(await statusOf(theirs.member, 'slack'), ENDED);
    assert.deepEqual(await statusOf(others.member, 'slack'), CONNECTED);
  });

  test("can come from one of the operator's own providers, whose address is listed", async () => {
    const account = newAccount();
    const { member } = await newTeam();
    await connect(member, ACME.id, account);
    const { providers } = (await stage.get('/api/integrations/providers', member.headers)).json();
    const webhookOf = (id: string) => providers.find((one: { id: string }) => one.id === id).webhook;
    const { url, setting } = webhookOf(ACME.id);
    assert.deepEqual([setting, webhookOf('brevo')], ['OAUTH_ACME_ORG_WEBHOOK_SECRET', null]);
    const path = new URL(url).pathname;
    const told = stage.simulator.withdrawAndTell(ACME.id, 'user.removed', url);
    stage.clock.advance(61_000);
    assert.equal((await send({ path, ...told })).status, 403, 'stale');
    await expectTaken({ path, ...stage.simulator.withdrawAndTell(ACME.id, 'user.removed', url) });
    assert.deepEqual(await statusOf(member, ACME.id), ENDED);
  });

  test("never touches a team's own OAuth app, even under the same client ID, or another provider's account", async () => {
    const account = newAccount();
    const [own, others] = [await newTeam(), await newTeam()];
    const clientId = 'client-of-slack';
    const put = await stage.stage.server.inject({
      method: 'PUT',
      url: '/api/integrations/slack/credentials',
      headers: own.admin.headers,
      payload: { clientId, clientSecret: stage.settings['OAUTH_SLACK_CLIENT_SECRET'] },
    });
    assert.ok(put.statusCode < 300, put.body);
    await connect(own.member, 'slack', account);
    await connect(others.member, 'github', account);
    await connect(others.member, 'square', account);
    await expectTaken(slack(account));
    assert.deepEqual(await statusOf(own.member, 'slack'), CONNECTED);
    assert.deepEqual(await statusOf(others.member, 'github'), CONNECTED);
    assert.deepEqual(await statusOf(others.member, 'square'), CONNECTED);
  });

  test('is refused if it is forged, changed, stale or meant for another address', async () => {
    const account = newAccount();
    const { admin, member } = await newTeam();
    await connect(member, 'slack', account);
    await connect(member, 'square', account);
    const good = slack(account);
    const { body } = square(account);
    const { 'x-slack-signature': _, ...unsigned } = good.headers;
    const seconds = secondsNow();
    const forged: Record<string, Sent> = {
      'no signature': { ...good, headers: unsigned },
      'another secret': signAsSlack(good.body, 'guessed', seconds),
      'an empty secret': signAsSlack(good.body, '', seconds),
      'all secrets as one': signAsSlack(good.body, SLACK_SECRETS.join(', '), seconds),
      "another provider's secret": signAsSlack(good.body, SQUARE_SECRET, seconds),
      'the client secret': signAsSlack(good.body, stage.settings['OAUTH_SLACK_CLIENT_SECRET'] ?? '', seconds),
      'another body': { ...good, body: good.body.replace('app_uninstalled', 'tokens_revoked ') },
      'six minutes old': signAsSlack(good.body, SLACK_SECRETS[0], seconds - 360),
      'six minutes ahead': signAsSlack(good.body, SLACK_SECRETS[0], seconds + 360),
      'a fresh time on an old signature': {
        ...good,
        headers: {
          ...signAsSlack(good.body, SLACK_SECRETS[0], seconds - 360).headers,
          'x-slack-request-timestamp': `${seconds}`,
        },
      },
      "another provider's signature": { ...signAsSquare(good.body, SLACK_SECRETS[0]), path: good.path },
      'another address': signAsSquare(body, SQUARE_SECRET, 'https://evil.example'),
      'no address': { ...square(account), body: body.replace('MERCHANT', 'SQUARE') },
      'no body': { ...square(account), body: '' },
    };
    for (const [what, sent] of Object.entries(forged))
      assert.equal(expectProblem(await send(sent), 403, what).code, 'integrations.signature_invalid', what);
    assert.deepEqual(await statusOf(member, 'slack'), CONNECTED);
    assert.deepEqual(await statusOf(member, 'square'), CONNECTED);
    assert.deepEqual(await listAudited(admin), []);
    await expectTaken(signAsSlack(good.body, SLACK_SECRETS[1], seconds), 'signed with the secret before');
    assert.deepEqual(await statusOf(member, 'slack'), ENDED);
  });

  test('gets the same response whether or not the account is connected, and challenges get theirs', async () => {
    const account = newAccount();
    const { member } = await newTeam();
    await connect(member, 'slack', account);
    const known = await send(slack(account));
    const unknown = await send(slack('T-unknown'));
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    await expectTaken(slack(account, { type: 'message', text: 'hello' }), 'another event');
    const challenge = JSON.stringify({ token: 't', challenge: '3eZbrw1aBm2rZgRNFdxV', type: 'url_verification' });
    const echoed = await send(signAsSlack(challenge, SLACK_SECRETS[0], secondsNow()));
    assert.deepEqual([echoed.status, echoed.body], [200, '{"challenge":"3eZbrw1aBm2rZgRNFdxV"}']);
    const reflected = await send(signAsSlack(challenge, 'guessed', secondsNow()));
    assert.equal(reflected.status, 403, 'Nothing is repeated to strangers.');
    assert.ok(!reflected.body.includes('3eZbrw1aBm2rZgRNFdxV'));
  });

  test('is refused if it is signed and malformed', async () => {
    const account = newAccount();
    const { member } = await newTeam();
    await connect(member, 'slack', account);
    const sign = (body: string) => signAsSlack(body, SLACK_SECRETS[0], secondsNow());
    const good = slack(account);
    const malformed: Record<string, Sent> = {
      'not JSON': sign('payload=app_uninstalled'),
      nothing: sign(''),
      'no account': sign(JSON.stringify({ event: UNINSTALLED, event_time: secondsNow() })),
      'no time': sign(JSON.stringify({ event: UNINSTALLED, team_id: account })),
      'a time in the future': slack(account, UNINSTALLED, secondsNow() + 3_600),
      'deeply nested': sign(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      ...Object.fromEntries(
        // A form isn't among them: that's how Slack sends commands.
        ['text/plain', 'application/jsonp', 'multipart/form-data; boundary=x'].map((type) => [
          type,
          { ...good, headers: { ...good.headers, 'content-type': type } },
        ]),
      ),
    };
    for (const [what, sent] of Object.entries(malformed))
      assert.equal(expectProblem(await send(sent), 400, what).code, 'integrations.message_malformed', what);
    assert.deepEqual(await statusOf(member, 'slack'), CONNECTED);
    const type = { 'content-type': 'application/json; charset=utf-8' };
    await expectTaken({ ...good, headers: { ...good.headers, ...type } });
    assert.deepEqual(await statusOf(member, 'slack'), ENDED);
  });

  test('has at most 256 KiB', async () => {
    const padded = (bytes: number) =>
      signAsSlack(JSON.stringify({ type: 'other', padding: 'x'.repeat(bytes) }), SLACK_SECRETS[0], secondsNow());
    expectProblem(await send(padded(256 * 1024)), 413, 'too large');
    await expectTaken(padded(200 * 1024), 'large');
  });

  test('is received only if it is set up', async () => {
    const sent = signAsSlack(slackEvent(UNINSTALLED, { team: 'T1', seconds: secondsNow() }), '', secondsNow());
    const at = (provider: string) => send({ ...sent, path: `/api/webhooks/integrations/${provider}` });
    const { detail: missing } = expectProblem(await at('zoom'), 404, 'zoom');
    assert.match(missing ?? '', /Set OAUTH_ZOOM_WEBHOOK_SECRET to receive them/);
    for (const provider of ['brevo', 'sandbox']) {
      const { code, detail } = expectProblem(await at(provider), 404, provider);
      assert.equal(code, 'integrations.webhook_not_set_up');
      assert.equal(detail, "Patchbay doesn't receive webhooks of this provider.");
    }
    for (const provider of ['nobody', 'constructor', '__proto__', 'x'.repeat(50)])
      assert.equal(expectProblem(await at(provider), 404, provider).code, 'integrations.provider_unknown');
    for (const method of ['GET', 'HEAD'] as const) {
      const got = await stage.stage.server.inject({ method, url: '/api/webhooks/integrations/slack' });
      assert.deepEqual([got.statusCode, got.body], [200, ''], 'Some providers check that the address responds.');
    }
  });

  test('is never refused for the number of forged ones from the same address, which are slowed down', async () => {
    const forged = signAsSlack('{}', 'guessed', secondsNow());
    const unknown = { ...forged, path: '/api/webhooks/integrations/brevo' };
    const address = '192.0.2.77';
    const statuses = new Map<number, number>();
    for (let index = 0; index < 700; index++) {
      const { status } = await send(index % 2 === 0 ? forged : unknown, { address });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(statuses), { 403: 300, 404: 300, 429: 100 });
    for (let index = 0; index < 20; index++) assert.equal((await send(slack('T-any'), { address })).status, 200);
    const large = signAsSlack(JSON.stringify({ padding: 'x'.repeat(20_000) }), 'guessed', secondsNow());
    const refused = await send(
      { ...large, headers: { ...large.headers, 'content-length': `${large.body.length}` } },
      { address },
    );
    assert.equal(refused.status, 429, 'Large ones are not even read.');
    assert.equal((await send(forged, { address: '192.0.2.78' })).status, 403);
  });

  test('leaves no secret in the log', () => {
    const text = JSON.stringify(stage.stage.lines);
    for (const secret of [...SLACK_SECRETS, SQUARE_SECRET]) assert.ok(!text.includes(secret));
  });
});
