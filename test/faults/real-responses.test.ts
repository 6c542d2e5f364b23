import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { getConnection } from '../../src/integrations/connections/connection-store.ts';
import { openCatalogueStage, readCatalogue } from '../harness/catalogue-stage.ts';
import type { ConsentOptions } from '../harness/provider-simulator/give-consent.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const EVER = Number.POSITIVE_INFINITY;

type Said = { status: number; answer: unknown };

const oauth = (status: number, error: string, error_description: string): Said => ({
  status,
  answer: { error, error_description },
});

/** A provider's response to a dead refresh token. */
const DEAD: Record<string, Said[]> = {
  atlassian: [oauth(403, 'unauthorized_client', 'refresh_token is invalid')],
  discord: [oauth(400, 'invalid_request', 'Invalid "refresh_token" in request.'), oauth(400, 'invalid_grant', '')],
  hubspot: [
    { status: 400, answer: { status: 'BAD_REFRESH_TOKEN', message: 'missing or unknown refresh token' } },
    { status: 400, answer: { status: 'BAD_HUB', error: 'access_denied', message: 'unknown hub' } },
  ],
  klaviyo: [oauth(400, 'invalid_grant_type', ''), oauth(400, 'invalid_grant', '')],
  shopify: [oauth(401, 'invalid_request', 'This request requires an active refresh_token')],
  spotify: [oauth(400, 'invalid_grant', 'Refresh token revoked')],
  square: [{ status: 401, answer: { message: 'Invalid refresh token', type: 'service.not_authorized' } }],
  strava: [
    {
      status: 400,
      answer: {
        message: 'Bad Request',
        errors: [{ resource: 'RefreshToken', field: 'refresh_token', code: 'invalid' }],
      },
    },
  ],
  twitch: [
    { status: 400, answer: { status: 400, message: 'Invalid refresh token' } },
    { status: 400, answer: { error: 'Bad Request', status: 400, message: 'Invalid refresh token' } },
  ],
  x: [oauth(400, 'invalid_request', 'Value passed for the token was invalid.')],
};

/** The same words about something else: these grants are alive. */
const ALIVE: Record<string, Said & { reason: string }> = {
  atlassian: { ...oauth(403, 'unauthorized_client', 'client_id is invalid'), reason: 'client_refused' },
  discord: { ...oauth(400, 'invalid_request', 'Invalid "code" in request.'), reason: 'provider_refused' },
  hubspot: { status: 400, answer: { status: 'BAD_CLIENT_ID', message: 'unknown' }, reason: 'client_refused' },
  reddit: { status: 401, answer: { message: 'Unauthorized', error: 401 }, reason: 'client_refused' },
  shopify: { ...oauth(401, 'invalid_request', 'Could not find Shopify API application'), reason: 'client_refused' },
  square: {
    status: 401,
    answer: { message: 'Not Authorized', type: 'service.not_authorized' },
    reason: 'client_refused',
  },
  strava: {
    status: 400,
    answer: { message: 'Bad Request', errors: [{ resource: 'Application', field: 'client_secret', code: 'invalid' }] },
    reason: 'client_refused',
  },
  twitch: { status: 403, answer: { status: 403, message: 'invalid client secret' }, reason: 'client_refused' },
  x: { ...oauth(400, 'invalid_request', 'Missing required parameter [client_id].'), reason: 'provider_refused' },
};

/** A provider's response to revoking a grant that has already ended. */
const GONE: Record<string, Said> = {
  google: oauth(400, 'invalid_token', 'Token expired or revoked'),
  salesforce: oauth(400, 'invalid_token', 'invalid token'),
  stripe: oauth(
    401,
    'invalid_client',
    'This application is not connected to stripe account acct_19tLK7DSlTMT26Mk, or that account does not exist.',
  ),
  twitch: { status: 400, answer: { status: 400, message: 'Invalid token' } },
};

/** Refused revocations that still have to be done. */
const NOT_GONE: Record<string, Said> = {
  google: oauth(400, 'invalid_request', 'Bad Request'),
  reddit: { status: 400, answer: { message: 'Bad Request', error: 400 } },
  salesforce: oauth(400, 'unsupported_token_type', 'this token type is not supported'),
  stripe: oauth(401, 'invalid_client', 'No such API key: Client secret'),
  twitch: { status: 404, answer: { status: 404, message: 'client does not exist' } },
};

/** Without `errors`, all entries have the same signs. These stand for the rest, and are used below. */
const OTHERS = [
  'calendly',
  'docusign',
  'dropbox',
  'gusto',
  'intercom',
  'linear',
  'microsoft',
  'miro',
  'notion',
  'quickbooks',
  'spotify',
  'todoist',
  'xero',
  'zendesk',
  'zoom',
];

describe('what providers really say', () => {
  const named = new Set([...OTHERS, ...[DEAD, ALIVE, GONE, NOT_GONE].flatMap((answers) => Object.keys(answers))]);
  const records = new Map(
    readCatalogue()
      .filter(({ id, errors }) => errors || named.has(id))
      .map((record) => [record.id, record]),
  );
  const stage = useStage(() => openCatalogueStage([...records.values()]));
  const simulator = prepare(async () => stage.simulator);
  let made = 0;

  afterEach(async () => {
    simulator.mend();
    await stage.app.database.run('delete from connections', []);
    await stage.app.database.run('delete from revocations', []);
  });

  const recordOf = (id: string): FullRecord => {
    const record = records.get(id);
    assert.ok(record, id);
    return record;
  };

  const openConnected = async (id: string, consent?: ConsentOptions) => {
    const record = recordOf(id);
    const { team, admin } = await stage.createTeam(`team-${++made}-${id}`);
    if (record.domains?.length === 0) await stage.putOwnClient(record, admin);
    await stage.connect(record, admin, consent);
    const firstRefresh = simulator.requestsOf(id, 'refresh').length;
    return {
      team,
      /** Makes the access token due; it still works. */
      becomeDue: () => stage.clock.advance((simulator.issued(id).expiresAt ?? 0) - stage.clock.now() - 4 * MINUTE_MS),
      status: () => stage.status(record, admin),
      disconnect: async () => (await stage.ask(admin, 'POST', `${id}/disconnect`)).body.revocation,
      refreshes: () => simulator.requestsOf(id, 'refresh').slice(firstRefresh),
    };
  };

  const refreshDue = () => stage.app.integrations.refreshDue();

  /** The background job, every three hours. */
  const passHours = async (hours: number): Promise<void> => {
    for (let hour = 0; hour < hours; hour += 3) {
      await refreshDue();
      stage.clock.advance(3 * HOUR_MS);
    }
    await refreshDue();
  };

  for (const [id, answers] of Object.entries(DEAD))
    test(`${id} says that a refresh token is dead: a reconnect is needed, and nothing more is sent`, async () => {
      for (const said of answers) {
        const { becomeDue, status, refreshes } = await openConnected(id);
        becomeDue();
        simulator.fail(id, 'refresh', said);
        await refreshDue();
        const { status: ended, reason, nextTryAt } = await status();
        assert.deepEqual([ended, reason, nextTryAt], ['needs_reconnect', 'revoked_or_expired', null], inspect(said));
        stage.clock.advance(DAY_MS);
        await refreshDue();
        assert.equal(refreshes().length, 1);
      }
    });

  for (const [id, { refresh }] of records)
    if (refresh)
      test(`${id}: a withdrawn consent is recognized by the entry's signs`, async () => {
        const { status } = await openConnected(id);
        stage.clock.advance(Math.max(0, (simulator.issued(id).expiresAt ?? 0) - stage.clock.now() - 20_000));
        simulator.withdraw(id);
        await refreshDue();
        const { status: ended, reason } = await status();
        assert.deepEqual([ended, reason], ['needs_reconnect', 'revoked_or_expired']);
      });

  for (const [id, { reason, ...said }] of Object.entries(ALIVE))
    test(`${id} says the same about something else: degraded, and it recovers`, async () => {
      const { becomeDue, status } = await openConnected(id);
      becomeDue();
      simulator.fail(id, 'refresh', said);
      await refreshDue();
      const degraded = await status();
      assert.deepEqual([degraded.status, degraded.reason], ['degraded', reason]);
      stage.clock.advance(MINUTE_MS);
      await refreshDue();
      assert.equal((await status()).status, 'connected');
    });

  for (const id of ['hubspot', 'reddit', 'shopify', 'square', 'strava', 'twitch'])
    test(`${id} rejects the operator's wrong secret for days: nobody is asked to reconnect`, async () => {
      const { reason: _, ...said } = ALIVE[id] ?? assert.fail(id);
      const connections = [await openConnected(id), await openConnected(id), await openConnected(id)];
      connections[0]?.becomeDue();
      simulator.fail(id, 'refresh', said, { times: EVER });
      await passHours(4 * 24);
      for (const { status } of connections) {
        const { status: now, reason } = await status();
        assert.deepEqual([now, reason], ['degraded', 'client_refused']);
      }
      simulator.mend();
      await passHours(3);
      for (const { status } of connections) assert.equal((await status()).status, 'connected');
    });

  for (const [id, said] of Object.entries(GONE))
    test(`${id} says at the revocation that the grant has already ended: nothing is left to do`, async () => {
      const { disconnect } = await openConnected(id);
      simulator.fail(id, 'revoke', said);
      assert.equal(await disconnect(), 'already_gone');
      assert.deepEqual(await stage.app.database.all('select id from revocations', []), []);
    });

  for (const [id, said] of Object.entries(NOT_GONE))
    test(`${id} refuses a revocation for another reason: it is retried`, async () => {
      const { disconnect } = await openConnected(id);
      simulator.fail(id, 'revoke', said);
      assert.equal(await disconnect(), 'failed_will_retry');
    });

  for (const status of [401, 404])
    test(`a page with status ${status} at the revocation ends no grant, whoever it claims to come from`, async () => {
      for (const [id, { revoke }] of records) {
        if (!revoke) continue;
        const { disconnect } = await openConnected(id);
        simulator.fail(id, 'revoke', { status, answer: '<h1>Not here</h1>' });
        assert.equal(await disconnect(), 'failed_will_retry', id);
      }
    });

  test('a 404 at the revocation says nothing about the grant unless a source says so, in any form', async () => {
    for (const id of ['google', 'salesforce', 'stripe', 'xero', 'zoom']) {
      const { disconnect } = await openConnected(id);
      simulator.fail(id, 'revoke', { status: 404, answer: { error: 'not_found' } });
      assert.equal(await disconnect(), 'failed_will_retry', id);
    }
  });

  test('a 401 at the revocation is about the token if nothing else was sent and it has a body', async () => {
    const { disconnect } = await openConnected('shopify');
    const errors = '[API] Invalid API key or access token (unrecognized login or wrong password)';
    simulator.fail('shopify', 'revoke', { status: 401, answer: { errors } });
    assert.equal(await disconnect(), 'already_gone');
  });

  test('a 401 that rejects the client says more than its status: the revocation is retried', async () => {
    for (const id of ['dropbox', 'linear', 'zendesk']) {
      const { disconnect } = await openConnected(id);
      simulator.fail(id, 'revoke', oauth(401, 'invalid_client', 'The client is unknown.'));
      assert.equal(await disconnect(), 'failed_will_retry', id);
    }
  });

  for (const id of ['notion', 'zoom'])
    test(`${id} gets the access token at the revocation, as it requires`, async () => {
      const { disconnect } = await openConnected(id);
      const { accessToken } = simulator.issued(id);
      assert.equal(await disconnect(), 'revoked');
      assert.equal(simulator.requestsOf(id, 'revoke').at(-1)?.params['token'], accessToken);
    });

  for (const id of ['notion', 'zoom'])
    test(`${id} gets a new access token at the revocation if the old one has expired`, async () => {
      const { disconnect } = await openConnected(id);
      stage.clock.advance(DAY_MS);
      assert.equal(await disconnect(), 'revoked');
      assert.equal(simulator.requestsOf(id, 'revoke').at(-1)?.params['token'], simulator.issued(id).accessToken);
    });

  test('reddit says the same about a dead refresh token and any bad request: only days of it count, and it may recover', async () => {
    const { becomeDue, status } = await openConnected('reddit');
    becomeDue();
    simulator.fail(
      'reddit',
      'refresh',
      { status: 400, answer: { message: 'Bad Request', error: 400 } },
      { times: EVER },
    );
    await refreshDue();
    assert.equal((await status()).reason, 'provider_refused');
    await passHours(4 * 24);
    const { status: refused, reason, nextTryAt } = await status();
    assert.deepEqual([refused, reason], ['needs_reconnect', 'refused_for_days']);
    assert.ok(nextTryAt);
    simulator.mend();
    await passHours(24);
    assert.equal((await status()).status, 'connected');
  });

  test('calendly gets the client by Basic at the exchange and at the refresh', async () => {
    const { becomeDue, refreshes } = await openConnected('calendly');
    becomeDue();
    await refreshDue();
    for (const request of [simulator.requestsOf('calendly', 'token').at(-1), refreshes().at(-1)]) {
      assert.match(request?.headers['authorization'] ?? '', /^Basic /);
      assert.deepEqual([request?.params['client_secret'], request?.params['client_id']], [undefined, undefined]);
    }
  });

  test('atlassian accepts a spent token for ten minutes: it is retried within them and not after', async () => {
    const { becomeDue, status, refreshes } = await openConnected('atlassian');
    // The access token must outlast the window, so that the window is what ends the retries.
    stage.clock.advance(30 * MINUTE_MS);
    await stage.app.database.run('update connections set refresh_due_at = $1', [stage.clock.now()]);
    simulator.fail('atlassian', 'refresh', 'server_error', { times: EVER });
    const begunAt = stage.clock.now();
    for (let minute = 0; minute < 20; minute++) {
      await refreshDue();
      stage.clock.advance(MINUTE_MS);
    }
    const times = refreshes().map(({ at }) => at - begunAt);
    assert.ok(times.length >= 4, `${times}`);
    assert.ok(Math.max(...times) < 10 * MINUTE_MS, `${times}`);
    const { status: now, nextTryAt, expiresAt } = await status();
    assert.equal(now, 'degraded');
    assert.ok(Date.parse(nextTryAt) >= Date.parse(expiresAt));
    simulator.mend();
    becomeDue();
    stage.clock.advance(HOUR_MS);
    await refreshDue();
    assert.equal((await status()).status, 'connected');
  });

  test("atlassian's response was lost: within ten minutes the spent token gets new ones", async () => {
    const { becomeDue, status, refreshes } = await openConnected('atlassian');
    becomeDue();
    simulator.fail('atlassian', 'refresh', 'no_answer', { afterWork: true });
    await refreshDue();
    assert.equal((await status()).status, 'connected');
    const [first, second] = refreshes();
    assert.ok(first?.refreshToken);
    assert.equal(first.refreshToken, second?.refreshToken);
  });

  test('shopify accepts a spent token until its replacement is used: responses lost for a day lose nothing', async () => {
    const { becomeDue, status } = await openConnected('shopify');
    becomeDue();
    simulator.fail('shopify', 'refresh', 'no_answer', { times: EVER, afterWork: true });
    for (let hour = 0; hour < 24; hour++) {
      await refreshDue();
      stage.clock.advance(HOUR_MS);
    }
    assert.equal((await status()).status, 'degraded');
    simulator.mend();
    // The pause between two attempts is an hour, plus or minus a fifth.
    stage.clock.advance(HOUR_MS / 2);
    await refreshDue();
    assert.equal((await status()).status, 'connected');
  });

  test("shopify accepts a spent token for at most thirty days: after that it isn't tried while the access token works", async () => {
    const { becomeDue, team, refreshes } = await openConnected('shopify');
    becomeDue();
    const begunAt = stage.clock.now();
    // No real access token lasts that long. It must outlast the window, so that the window is what ends the attempts.
    const expiresAt = begunAt + 40 * DAY_MS;
    await stage.app.database.run('update connections set expires_at = $1, refresh_expires_at = null', [expiresAt]);
    simulator.fail('shopify', 'refresh', 'no_answer', { times: EVER, afterWork: true });
    for (let day = 0; day < 35; day++) {
      await refreshDue();
      stage.clock.advance(DAY_MS);
    }
    const times = refreshes().map(({ at }) => at - begunAt);
    assert.equal(Math.max(...times), 29 * DAY_MS, 'On the thirtieth day it might arrive too late.');
    const row = await getConnection(stage.app.database, { teamId: team.id, provider: 'shopify', name: 'default' });
    assert.deepEqual([row?.refreshBegunAt, row?.refreshDueAt], [begunAt, expiresAt]);
  });

  test("microsoft doesn't end a used refresh token: a lost response is retried hours later", async () => {
    const { becomeDue, status, refreshes } = await openConnected('microsoft');
    becomeDue();
    simulator.fail('microsoft', 'refresh', 'no_answer', { times: EVER, afterWork: true });
    for (let hour = 0; hour < 5; hour++) {
      await refreshDue();
      stage.clock.advance(2 * HOUR_MS);
    }
    assert.ok(refreshes().length >= 10, 'twice each time');
    simulator.mend();
    await refreshDue();
    assert.equal((await status()).status, 'connected');
  });

  test('microsoft still sends a new refresh token: the next refresh uses it', async () => {
    const { becomeDue, refreshes } = await openConnected('microsoft');
    becomeDue();
    const answer = { token_type: 'Bearer', expires_in: 3_599, access_token: 'second', refresh_token: 'the-newer-one' };
    simulator.fail('microsoft', 'refresh', { status: 200, answer });
    await refreshDue();
    stage.clock.advance(HOUR_MS);
    await refreshDue();
    assert.equal(refreshes().at(-1)?.params['refresh_token'], 'the-newer-one');
  });

  test('quickbooks says how long a refresh token lives: that holds until it is replaced, and not for the next', async () => {
    const { team, becomeDue } = await openConnected('quickbooks');
    becomeDue();
    const refreshWith = async (said: object) => {
      const answer = { token_type: 'bearer', expires_in: 3_600, access_token: 'new', ...said };
      simulator.fail('quickbooks', 'refresh', { status: 200, answer });
      await refreshDue();
      const key = { teamId: team.id, provider: 'quickbooks', name: 'default' };
      const row = await getConnection(stage.app.database, key);
      assert.equal(row?.refreshedAt, stage.clock.now());
      stage.clock.advance(HOUR_MS);
      return row.refreshExpiresAt;
    };
    const endsAt = stage.clock.now() + 100 * DAY_MS;
    const lifetime = { x_refresh_token_expires_in: 100 * 24 * 3_600 };
    assert.equal(await refreshWith({ refresh_token: 'second', ...lifetime }), endsAt);
    assert.equal(await refreshWith({}), endsAt, 'The second stays.');
    assert.equal(await refreshWith({ refresh_token: 'second' }), endsAt, 'The second is repeated.');
    assert.equal(await refreshWith({ refresh_token: 'third' }), null);
  });

  const liveFor = async (days: number) => {
    for (let day = 0; day < days; day++) {
      stage.clock.advance(DAY_MS);
      await refreshDue();
    }
  };

  describe('docusign on day 30', () => {
    test('a grant with the scope extended lives on without a warning', async () => {
      const { status } = await openConnected('docusign');
      await liveFor(45);
      const { status: now, reconnectBefore, missingScopes } = await status();
      assert.deepEqual([now, reconnectBefore, missingScopes], ['connected', null, []]);
    });

    test('an older grant without it is announced from the next refresh on, and ends', async () => {
      const { status, team } = await openConnected('docusign', { grantedScopes: ['signature'] });
      const connectedAt = stage.clock.now();
      await stage.app.database.run(
        'update connections set scopes_asked = $1, reconnect_before = null where team_id = $2',
        ['["signature"]', team.id],
      );
      await liveFor(1);
      assert.equal(Date.parse((await status()).reconnectBefore), connectedAt + 30 * DAY_MS);
      await liveFor(28);
      assert.equal((await status()).status, 'connected');
      await liveFor(2);
      const { status: ended, reason } = await status();
      assert.deepEqual([ended, reason], ['needs_reconnect', 'revoked_or_expired']);
    });
  });

  test('docusign refuses a grant after day 30, in any words: a reconnect is needed at once', async () => {
    const { status, team } = await openConnected('docusign', { grantedScopes: ['signature'] });
    await stage.app.database.run('update connections set scopes_asked = $1 where team_id = $2', [
      '["signature"]',
      team.id,
    ]);
    await liveFor(29);
    simulator.fail('docusign', 'refresh', oauth(400, 'consent_required', ''), { times: EVER });
    stage.clock.advance(DAY_MS / 2);
    await refreshDue();
    assert.equal((await status()).status, 'degraded', 'Its day has not come.');
    await liveFor(1);
    const { status: ended, reason, reconnectBefore, nextTryAt } = await status();
    assert.deepEqual([ended, reason, reconnectBefore], ['needs_reconnect', 'expired', null]);
    assert.ok(nextTryAt, 'Its end is by the documentation, and not by the word of the provider.');
  });

  test('spotify renews a grant after six months: then it no longer has a last day', async () => {
    const { status, team } = await openConnected('spotify');
    await stage.app.database.run('update connections set connected_at = $1 where team_id = $2', [
      stage.clock.now() - 200 * DAY_MS,
      team.id,
    ]);
    await liveFor(1);
    const { status: now, reconnectBefore } = await status();
    assert.deepEqual([now, reconnectBefore], ['connected', null]);
  });

  test('an expired token without refresh has no reconnect date in the past', async () => {
    const { status } = await openConnected('intercom');
    const now = stage.clock.now();
    await stage.app.database.run('update connections set expires_at = $1, reconnect_before = $1', [now + HOUR_MS]);
    assert.equal(Date.parse((await status()).reconnectBefore), now + HOUR_MS);
    stage.clock.advance(2 * HOUR_MS);
    const { status: ended, reason, reconnectBefore } = await status();
    assert.deepEqual([ended, reason, reconnectBefore], ['needs_reconnect', 'expired', null]);
  });

  test('spotify ends a grant six months after the consent: announced from the first day', async () => {
    const { team } = await openConnected('spotify');
    const endsAt = stage.clock.now() + 180 * DAY_MS;
    // No access token lasts that long, so the row is checked.
    const row = () => getConnection(stage.app.database, { teamId: team.id, provider: 'spotify', name: 'default' });
    assert.equal((await row())?.reconnectBefore, endsAt);
    await liveFor(179);
    const late = await row();
    assert.deepEqual([late?.status, late?.reconnectBefore], ['connected', endsAt], 'A refresh prolongs nothing.');
    simulator.fail('spotify', 'refresh', oauth(400, 'invalid_grant', 'Refresh token expired'));
    await liveFor(1);
    const ended = await row();
    assert.deepEqual([ended?.status, ended?.reason], ['needs_reconnect', 'revoked_or_expired']);
  });

  test('todoist gives new apps refresh tokens and rotates them', async () => {
    const { status, refreshes } = await openConnected('todoist');
    await liveFor(3);
    assert.equal((await status()).status, 'connected');
    assert.equal(new Set(refreshes().map(({ refreshToken }) => refreshToken)).size, 3);
  });

  test('gusto gets the redirect URI with a refresh', async () => {
    const { becomeDue, refreshes } = await openConnected('gusto');
    becomeDue();
    await refreshDue();
    assert.match(refreshes().at(-1)?.params['redirect_uri'] ?? '', /gusto\/callback$/);
  });

  test('miro gets the client and the access token as JSON, at version two of its endpoint', async () => {
    const { disconnect } = await openConnected('miro');
    const { accessToken } = simulator.issued('miro');
    assert.equal(await disconnect(), 'revoked');
    const request = simulator.requestsOf('miro', 'revoke').at(-1);
    assert.equal(request?.address, 'https://api.miro.com/v2/oauth/revoke');
    assert.match(request?.headers['content-type'] ?? '', /^application\/json/);
    assert.deepEqual(Object.keys(request?.params ?? {}).sort(), ['accessToken', 'clientId', 'clientSecret']);
    assert.equal(request?.params['accessToken'], accessToken);
  });

  test("quickbooks isn't trusted with an undocumented grace period: after a lost response, the access token must expire first", async () => {
    const { becomeDue, status, refreshes } = await openConnected('quickbooks');
    becomeDue();
    simulator.fail('quickbooks', 'refresh', 'no_answer');
    await refreshDue();
    assert.equal(refreshes().length, 1);
    const { nextTryAt, expiresAt } = await status();
    assert.ok(Date.parse(nextTryAt) >= Date.parse(expiresAt));
  });

  test('xero, which documents a grace period, is asked again at once after a lost response', async () => {
    const { becomeDue, status, refreshes } = await openConnected('xero');
    becomeDue();
    simulator.fail('xero', 'refresh', 'no_answer');
    await refreshDue();
    assert.equal(refreshes().length, 2);
    assert.equal(refreshes()[0]?.params['refresh_token'], refreshes()[1]?.params['refresh_token']);
    assert.equal((await status()).status, 'connected');
  });
});
