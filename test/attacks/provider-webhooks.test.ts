import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Engine } from '../../src/platform/index.ts';
import type { Person } from '../harness/app.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { expectProblem } from '../harness/problem.ts';
import { useStage } from '../harness/use-stage.ts';
import {
  type SignedMessage,
  signAsDropbox,
  signAsGitHub,
  signAsHubSpot,
  signAsSlack,
  signAsZoom,
} from '../harness/webhook-senders.ts';
import { startWebhookStage, WEBHOOK_SECRET } from '../harness/webhook-stage.ts';

const INVALID = 'integrations.signature_invalid';

/** The addresses of teams, and what GitHub sends there. */
const openHooks = (engine: Engine) => {
  const stage = useStage(() =>
    startWebhookStage(engine, {
      providers: ['github', 'hubspot', 'dropbox', 'slack', 'zoom'],
    }),
  );
  let made = 0;

  const createTeam = async (provider = 'github', account = `account-${made + 1}`) => {
    const team = await stage.stage.createTeam(`hooks-${++made}`);
    await stage.connect(team.member, provider, account);
    return { ...team, account };
  };
  const now = () => stage.clock.now();
  const about = (account: string, more: object = {}) =>
    JSON.stringify({ action: 'opened', sender: { id: account }, ...more });
  const github = (
    account: string,
    { id = `delivery-${++made}`, secret = WEBHOOK_SECRET, body = about(account) } = {},
  ) => signAsGitHub(body, { secret, type: 'issues', id, now: now() });
  const toGitHub = (message: SignedMessage, path = stage.operatorPath('github')) => stage.send(path, message);
  const countEvents = async (): Promise<number> => {
    const row = await stage.app.database.get<{ n: number }>(
      "select count(*) as n from events where type like 'provider.%'",
    );
    return Number(row?.n);
  };
  const payloadsOf = async (team: { member: Person }) =>
    (await stage.listEvents(team.member)).map(({ data }) => data['payload']);

  return { stage, createTeam, now, about, github, toGitHub, countEvents, payloadsOf };
};

onOneEngine("a provider's webhook", (engine) => {
  const { stage, createTeam, now, github, toGitHub, countEvents } = openHooks(engine);

  test('with any flaw in its signature is refused, and nothing is stored', async () => {
    const { account } = await createTeam();
    const good = await github(account);
    const signature = good.headers['x-hub-signature-256'] ?? '';
    const { 'x-hub-signature-256': _, ...unsigned } = good.headers;
    const signed = (text: string) => ({ ...good, headers: { ...good.headers, 'x-hub-signature-256': text } });
    const flawed: Record<string, SignedMessage> = {
      missing: { ...good, headers: unsigned },
      empty: signed(''),
      'no prefix': signed(signature.slice(7)),
      'the name of another algorithm': signed(signature.replace('sha256=', 'sha1=')),
      'only the older header': { ...good, headers: { ...unsigned, 'x-hub-signature': signature } },
      truncated: signed(signature.slice(0, -1)),
      'one character more': signed(`${signature}0`),
      'upper case': signed(signature.toUpperCase().replace('SHA256', 'sha256')),
      several: signed(`${signature}, ${signature}`),
      'one byte of the body': { ...good, body: good.body.replace('opened', 'openee') },
      'a compressed body': {
        headers: { ...good.headers, 'content-encoding': 'gzip' },
        body: gzipSync(good.body).toString('latin1'),
      },
      'another secret': await github(account, { secret: 'guessed' }),
      'an empty secret': await github(account, { secret: ' ' }),
      "the client's secret": await github(account, {
        secret: stage.settings['OAUTH_GITHUB_CLIENT_SECRET'] ?? assert.fail(),
      }),
    };
    const before = await countEvents();
    for (const [what, message] of Object.entries(flawed))
      assert.equal(expectProblem(await toGitHub(message), 403, what).code, INVALID, what);
    assert.equal(await countEvents(), before);
    assert.equal((await toGitHub(good)).status, 200);
    assert.equal(await countEvents(), before + 1);
  });

  test("can't be set up or read by members, by other teams, or by a restricted token", async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const { path, secrets } = await stage.openAddress(one.admin, 'github', 'secret-of-one');
    const secretId = secrets[0]?.id ?? assert.fail();
    const acts = [
      ['GET', 'github/webhook'],
      ['PUT', 'github/webhook'],
      ['POST', 'github/webhook/rotate'],
      ['DELETE', `github/webhook/secrets/${secretId}`],
      ['DELETE', 'github/webhook'],
    ] as const;
    for (const [method, route] of acts) {
      assert.equal((await stage.ask({ headers: {} }, method, route)).status, 401, `${method} of a stranger`);
      assert.equal((await stage.ask(one.member, method, route)).status, 403, `${method} of a member`);
    }
    for (const [method, route] of acts.filter(([method]) => method !== 'PUT'))
      assert.equal((await stage.ask(other.admin, method, route)).status, 404, `${method} of another team`);
    assert.equal((await toGitHub(await github(one.account, { secret: 'secret-of-one' }), path)).status, 200);
  });

  test('about a workspace is nothing for a person who is a guest there', async () => {
    const guest = await createTeam('zoom', 'guest');
    const workspace = 'workspace-of-somebody-else';
    const seen = await stage.app.database.run('update connections set installation_id = $2 where team_id = $1', [
      guest.team.id,
      workspace,
    ]);
    assert.equal(seen, 1);
    const event = (host: string) =>
      signAsZoom(
        JSON.stringify({ event: 'meeting.started', payload: { account_id: workspace, object: { host_id: host } } }),
        {
          secret: WEBHOOK_SECRET,
          now: now(),
        },
      );
    assert.equal((await stage.send(stage.operatorPath('zoom'), await event('somebody-else'))).status, 200);
    assert.deepEqual(await stage.listEvents(guest.member), []);
    assert.equal((await stage.send(stage.operatorPath('zoom'), await event('guest'))).status, 200);
    assert.equal((await stage.listEvents(guest.member)).length, 1);
  });

  test('that is verified and malformed is refused, and says so', async () => {
    const { admin, member, account } = await createTeam();
    const { path } = await stage.openAddress(admin, 'github', WEBHOOK_SECRET);
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    for (const body of ['not JSON', '{"a":', `{"sender":{"id":"${account}"},"deep":${deep}}`]) {
      const answer = await toGitHub(await github(account, { body }), path);
      assert.equal(expectProblem(answer, 400, body.slice(0, 20)).code, 'integrations.message_malformed');
    }
    assert.deepEqual(await stage.listEvents(member), []);
    await stage.app.integrations.webhooks.sightings.flush();
    const shown = JSON.parse((await stage.ask(admin, 'GET', 'github/webhook')).body);
    assert.equal(shown.lastRefusal.reason, 'message_malformed');
    assert.equal(shown.lastDelivery, null);
  });

  test('with a key twice is about what its readers take it to be about', async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const body = `{"sender":{"id":"${one.account}"},"sender":{"id":"${other.account}"}}`;
    assert.equal((await toGitHub(await github(one.account, { body }))).status, 200);
    assert.deepEqual(await stage.listEvents(one.member), []);
    assert.equal((await stage.listEvents(other.member)).length, 1, 'The last one counts, as in every JSON parser.');
  });

  test('that asks for its own markup back gets plain text, and only with a signature if it is signed', async () => {
    const markup = '<script>alert(1)</script>';
    const got = await stage.server.inject({
      url: `${stage.operatorPath('dropbox')}?challenge=${encodeURIComponent(markup)}`,
    });
    assert.deepEqual([got.statusCode, got.body], [200, markup]);
    assert.match(String(got.headers['content-type']), /^text\/plain/);
    assert.equal(got.headers['x-content-type-options'], 'nosniff');
    const body = JSON.stringify({ type: 'url_verification', challenge: markup });
    const signed = (secret: string) => signAsSlack(body, { secret, now: now() });
    assert.equal((await stage.send(stage.operatorPath('slack'), await signed('guessed'))).status, 403);
    const answer = await stage.send(stage.operatorPath('slack'), await signed(WEBHOOK_SECRET));
    assert.deepEqual([answer.status, JSON.parse(answer.body)], [200, { challenge: markup }]);
  });
});

onEachEngine("a provider's webhook that is kept", (engine) => {
  const { stage, createTeam, now, github, toGitHub, payloadsOf } = openHooks(engine);

  test('is accepted at its own address only, and no longer after it was replaced or ended', async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const mine = await stage.openAddress(one.admin, 'github', 'secret-of-one');
    const theirs = await stage.openAddress(other.admin, 'github', 'secret-of-other');
    const message = await github(one.account, { secret: 'secret-of-one' });
    assert.equal(expectProblem(await toGitHub(message, theirs.path), 403, 'theirs').code, INVALID);
    assert.equal(expectProblem(await toGitHub(message), 403, "the operator's").code, INVALID);
    const foreign = mine.path.replace('/github/', '/gitlab/');
    for (const path of [foreign, `${mine.path}x`, mine.path.slice(0, -1), `${stage.operatorPath('github')}/x`])
      assert.equal(
        expectProblem(await toGitHub(message, path), 404, path).code,
        'integrations.webhook_address_unknown',
      );
    assert.equal((await toGitHub(message, mine.path)).status, 200);
    const rotated = await stage.ask(one.admin, 'POST', 'github/webhook/rotate');
    assert.equal(rotated.status, 200);
    const { pathname } = new URL(JSON.parse(rotated.body).url);
    assert.notEqual(pathname, mine.path);
    assert.equal((await toGitHub(message, mine.path)).status, 404, 'the old address');
    const again = await github(one.account, { secret: 'secret-of-one' });
    assert.equal((await toGitHub(again, pathname)).status, 200, 'The secrets stay.');
    assert.equal((await stage.ask(one.admin, 'DELETE', 'github/webhook')).status, 204);
    assert.equal((await toGitHub(again, pathname)).status, 404, 'ended');
    assert.equal((await stage.listEvents(one.member)).length, 2);
    assert.deepEqual(await stage.listEvents(other.member), []);
  });

  test('with a secret that was removed is refused at once, and the others go on', async () => {
    const { admin, account } = await createTeam();
    await stage.openAddress(admin, 'github', 'the-first-secret');
    stage.clock.advance(1_000);
    const { path, secrets } = await stage.openAddress(admin, 'github', 'the-second-secret');
    assert.equal(secrets.length, 2);
    assert.equal(
      (await stage.openAddress(admin, 'github', 'the-second-secret')).secrets.length,
      2,
      'The same is not added twice.',
    );
    for (const secret of ['the-first-secret', 'the-second-secret'])
      assert.equal((await toGitHub(await github(account, { secret }), path)).status, 200, secret);
    const oldest = secrets.at(-1)?.id ?? assert.fail();
    assert.equal((await stage.ask(admin, 'DELETE', `github/webhook/secrets/${oldest}`)).status, 204);
    assert.equal((await toGitHub(await github(account, { secret: 'the-first-secret' }), path)).status, 403);
    assert.equal((await toGitHub(await github(account, { secret: 'the-second-secret' }), path)).status, 200);
    for (const more of ['the-third-secret', 'the-fourth-secret', 'the-fifth-secret', 'the-sixth-secret'])
      await stage.openAddress(admin, 'github', more);
    const full = await stage.ask(admin, 'PUT', 'github/webhook', { secret: 'the-seventh-secret' });
    assert.equal(expectProblem(full, 409, 'six').code, 'integrations.webhook_secrets_full');
  });

  test('that is sent again is one event, at one address', async () => {
    const { admin, member, account } = await createTeam();
    const { path } = await stage.openAddress(admin, 'github', WEBHOOK_SECRET);
    const message = await github(account, { id: 'the-same' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => toGitHub(message)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await stage.listEvents(member)).length, 1);
    for (const _ of [1, 2]) assert.equal((await toGitHub(message, path)).status, 200);
    assert.equal((await stage.listEvents(member)).length, 2, 'Another address is another subscription.');
  });

  test('with items of several teams gives each team only its own', async () => {
    const teams = [
      await createTeam('hubspot', '101'),
      await createTeam('hubspot', '102'),
      await createTeam('hubspot', '103'),
    ];
    const items = [101, 102, 103, 101, 999].map((portalId, index) => ({
      ...{ eventId: index + 1, subscriptionId: 5, portalId, subscriptionType: 'contact.creation' },
      objectId: 7_000 + index,
      occurredAt: now(),
    }));
    const sign = (body: object) =>
      signAsHubSpot(JSON.stringify(body), {
        secret: stage.settings['OAUTH_HUBSPOT_CLIENT_SECRET'] ?? assert.fail(),
        now: now(),
        url: stage.operatorUrl('hubspot'),
      });
    assert.equal((await stage.send(stage.operatorPath('hubspot'), await sign(items))).status, 200);
    // Every attempt has a number of its own, so the body differs.
    const repeated = items.map((item) => ({ ...item, attemptNumber: 1 }));
    assert.equal((await stage.send(stage.operatorPath('hubspot'), await sign(repeated))).status, 200);
    for (const [index, team] of teams.entries())
      assert.deepEqual(
        await payloadsOf(team),
        items.filter(({ portalId }) => portalId === 101 + index),
        String(101 + index),
      );
  });

  test('that is equal to an earlier one is a new event, if the provider sends it like that', async () => {
    const { member, account } = await createTeam('dropbox', 'dbid:1');
    const message = await signAsDropbox(JSON.stringify({ list_folder: { accounts: [account, 'dbid:2'] } }), {
      secret: stage.settings['OAUTH_DROPBOX_CLIENT_SECRET'] ?? assert.fail(),
      now: now(),
    });
    for (const _ of [1, 2]) assert.equal((await stage.send(stage.operatorPath('dropbox'), message)).status, 200);
    const events = await stage.listEvents(member);
    assert.deepEqual(
      events.map(({ data }) => data['payload']),
      [account, account],
      'Two, and nothing of the other account.',
    );
  });

  test("of an account that two teams share is an event of each, and nobody's once both have disconnected", async () => {
    const shared = 'shared-account';
    const [one, other] = [await createTeam('github', shared), await createTeam('github', shared)];
    await stage.connect(one.member, 'github', shared, 'second');
    assert.equal((await toGitHub(await github(shared))).status, 200);
    for (const team of [one, other]) assert.equal((await stage.listEvents(team.member)).length, 1);
    for (const team of [one, other]) {
      const ended = await stage.ask(team.member, 'POST', 'github/disconnect', {});
      assert.ok(ended.status < 300, ended.body);
    }
    await stage.ask(one.member, 'POST', 'github/disconnect', { connection: 'second' });
    assert.equal((await toGitHub(await github(shared, { id: 'late' }))).status, 200, 'The provider learns nothing.');
    for (const team of [one, other]) assert.equal((await stage.listEvents(team.member)).length, 1);
    const kept = await stage.server.inject({
      url: '/api/operator/events?type=provider.unmatched&limit=100',
      headers: OPERATOR,
    });
    const { events } = kept.json<{ events: { data: Record<string, unknown> }[] }>();
    const [late] = events.filter(({ data }) => data['id'] === 'late');
    assert.deepEqual([late?.data['connection'], late?.data['account']], [null, { id: shared, label: null }]);
  });

  test("isn't accepted for a team that was erased", async () => {
    const { admin, team, account } = await createTeam();
    const { path } = await stage.openAddress(admin, 'github', WEBHOOK_SECRET);
    const { eraser } = stage.app.integrations;
    const erasing = { teamId: team.id, erasingAt: now(), heirId: admin.user.id, isSettled: false };
    await eraser.erase({ ...erasing, pace: async () => undefined });
    eraser.forget?.(team.id);
    assert.equal((await toGitHub(await github(account), path)).status, 404);
    assert.deepEqual(await stage.app.database.all('select id from webhook_secrets where team_id = $1', [team.id]), []);
  });
});
