import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import { onEachEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import {
  afterWork,
  closed,
  errorWith200,
  html,
  hugeBody,
  invalidClient,
  invalidGrant,
  invalidJson,
  missingExpiresIn,
  rateLimited,
  serverError,
  silent,
  slow,
} from '../harness/oauth-server/faults.ts';
import type { Fault } from '../harness/oauth-server/gate.ts';
import { expectProblem } from '../harness/problem.ts';
import { createTeamMember } from '../harness/team-member.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** From here on, a token with a lifetime of an hour is due; it still works. */
const DUE_MS = HOUR_MS - 4 * MINUTE_MS;
const SILENCE_MS = 500;
const EVER = Number.POSITIVE_INFINITY;

/** `unclear`: the refresh token may be spent, so it isn't tried again before the access token has expired. */
type Case = { fault: Fault; kind: string; reason: string; unclear: boolean };

const CASES: Record<string, Case> = {
  'answers 500': { fault: serverError, kind: 'unavailable', reason: 'provider_unavailable', unclear: true },
  'does not answer in time': { fault: silent, kind: 'unclear', reason: 'provider_unclear', unclear: true },
  'answers a page': { fault: html, kind: 'unclear', reason: 'provider_unclear', unclear: true },
  'answers more than 1 MiB': { fault: hugeBody, kind: 'unclear', reason: 'provider_unclear', unclear: true },
  'answers broken JSON': { fault: invalidJson, kind: 'unclear', reason: 'provider_unclear', unclear: true },
  'closes the connection': { fault: closed, kind: 'unclear', reason: 'provider_unclear', unclear: true },
  'says no with status 200': { fault: errorWith200, kind: 'refused', reason: 'provider_refused', unclear: false },
  'asks for fewer requests': { fault: rateLimited(90), kind: 'rate_limited', reason: 'rate_limited', unclear: false },
  'refuses the client': { fault: invalidClient, kind: 'invalid_client', reason: 'client_refused', unclear: false },
};

onEachEngine('a token endpoint that', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine, { silenceMs: SILENCE_MS }));
  const oauth = prepare(async () => stage.oauth);
  let account: string;

  beforeEach(() => {
    account = stage.newAccount();
  });
  afterEach(async () => {
    oauth.mend();
    await stage.removeConnections();
  });

  const openConnected = async (provider = 'acme') => {
    const team = await stage.newTeam();
    await team.at.connect(provider, account);
    return { ...team, token: await team.at.token(provider) };
  };

  const runRefreshDue = () => stage.app.integrations.refreshDue();

  const advanceTo = (instant: string | null): void => {
    assert.ok(instant);
    stage.clock.advance(Math.max(0, Date.parse(instant) - stage.clock.now()));
  };

  for (const [what, { fault, kind }] of Object.entries(CASES))
    test(`${what} at the exchange: a typed problem, nothing is connected, and the next attempt works`, async () => {
      const { at } = await stage.newTeam();
      oauth.fail('code', fault);
      const { path, cookie } = await at.goToProvider('acme', account);
      const ask = () => stage.ask('GET', path, { accept: 'application/json', cookie });
      const problem = expectProblem(await ask(), 502, what);
      assert.equal(problem.code, `integrations.exchange_${kind}`);
      assert.equal((await at.status('acme')).status, 'disconnected');
      const exchanges = oauth.count('code');
      assert.equal(expectProblem(await ask(), 502, 'again').code, problem.code, 'The outcome is remembered.');
      assert.equal(oauth.count('code'), exchanges);
      await at.connect('acme', account);
      assert.equal((await at.status('acme')).status, 'connected');
    });

  test('fails at the exchange of a reconnect leaves the connection as it is', async () => {
    const { at, token } = await openConnected();
    oauth.fail('code', serverError);
    expectProblem(await at.tryConnect('acme', stage.newAccount()), 502, 'reconnect');
    const { status, account: connected } = await at.status('acme');
    assert.equal(status, 'connected');
    assert.equal(connected?.id, account);
    assert.equal(await at.token('acme'), token);
    assert.equal(await oauth.whoIs(token), account);
  });

  test('is slow at the exchange and at the refresh is waited for', async () => {
    const { at } = await stage.newTeam();
    oauth.fail('code', slow(SILENCE_MS));
    await at.connect('acme', account);
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', slow(SILENCE_MS));
    assert.equal(await oauth.whoIs(await at.token('acme')), account);
    assert.equal((await at.status('acme')).lastError, null);
  });

  test("doesn't say how long the token lives: it is handed out without an expiry", async () => {
    const { at } = await stage.newTeam();
    oauth.fail('code', missingExpiresIn);
    await at.connect('acme', account);
    assert.equal((await at.status('acme')).expiresAt, null);
    const token = await at.token('acme');
    stage.clock.advance(100 * HOUR_MS);
    const refreshes = oauth.count('refresh');
    assert.equal(await at.token('acme'), token);
    assert.equal(oauth.count('refresh'), refreshes);
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test("doesn't say so at the refresh: the new token is kept without an expiry", async () => {
    const { at, token } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', missingExpiresIn);
    const second = await at.token('acme');
    assert.notEqual(second, token);
    const { status, expiresAt } = await at.status('acme');
    assert.equal(status, 'connected');
    assert.equal(expiresAt, null);
  });

  for (const [what, { fault, reason, unclear }] of Object.entries(CASES))
    test(`${what} at the refresh: degraded, the token is handed out while it works, and it recovers`, async () => {
      const { at, token } = await openConnected('acme-full');
      stage.clock.advance(DUE_MS);
      const troubleAt = stage.clock.now();
      const refreshes = oauth.count('refresh');
      oauth.fail('refresh', fault, EVER);

      assert.equal(await at.token('acme-full'), token, 'It still works.');
      assert.equal(oauth.count('refresh'), refreshes + 1);
      const degraded = await at.status('acme-full');
      assert.equal(degraded.status, 'degraded');
      assert.equal(degraded.reason, reason);
      assert.equal(Date.parse(degraded.troubleSince ?? ''), troubleAt);
      assert.ok(degraded.lastError);
      assert.doesNotMatch(inspect(degraded), /canary/);
      const firstWaitMs = Date.parse(degraded.nextTryAt ?? '') - troubleAt;
      if (unclear)
        assert.ok(Date.parse(degraded.nextTryAt ?? '') >= Date.parse(degraded.expiresAt ?? ''), 'Not before its end.');
      else assert.ok(firstWaitMs >= 12_000 && firstWaitMs <= 90_000, `${firstWaitMs}`);

      for (let turn = 0; turn < 5; turn++) assert.equal(await at.token('acme-full'), token);
      await runRefreshDue();
      assert.equal(oauth.count('refresh'), refreshes + 1, 'Nobody hammers it.');

      advanceTo(degraded.nextTryAt);
      await runRefreshDue();
      assert.equal(oauth.count('refresh'), refreshes + 2);
      const again = await at.status('acme-full');
      assert.equal(again.status, 'degraded');
      assert.equal(Date.parse(again.troubleSince ?? ''), troubleAt, 'Since the first failure.');
      const secondWaitMs = Date.parse(again.nextTryAt ?? '') - stage.clock.now();
      assert.ok(secondWaitMs >= 24_000, `The waits grow: ${secondWaitMs}`);

      advanceTo(again.expiresAt);
      if (stage.clock.now() < Date.parse(again.nextTryAt ?? '')) {
        const problem = await at.refusedToken('acme-full', 503);
        assert.equal(problem.code, 'integrations.no_fresh_token');
        assert.ok(Number(problem.retryAfter) * 1_000 >= Date.parse(again.nextTryAt ?? '') - stage.clock.now());
      }

      oauth.mend();
      advanceTo((await at.status('acme-full')).nextTryAt);
      await runRefreshDue();
      const mended = await at.status('acme-full');
      assert.deepEqual(
        [mended.status, mended.reason, mended.lastError, mended.troubleSince, mended.nextTryAt],
        ['connected', null, null, null, null],
      );
      assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
    });

  test('asks for fewer requests is left alone for as long as it says', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    for (const seconds of [90, 2_000]) {
      oauth.fail('refresh', rateLimited(seconds));
      const askedAt = stage.clock.now();
      await runRefreshDue();
      const { nextTryAt } = await at.status('acme');
      assert.equal(Date.parse(nextTryAt ?? ''), askedAt + seconds * 1_000);
      stage.clock.advance(seconds * 1_000 - 1);
      const refreshes = oauth.count('refresh');
      await runRefreshDue();
      assert.equal(oauth.count('refresh'), refreshes);
      stage.clock.advance(1);
    }
    await runRefreshDue();
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test('keeps failing is asked less and less often, in the end about once an hour', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', errorWith200, EVER);
    const waits: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      await runRefreshDue();
      const { nextTryAt, status } = await at.status('acme');
      assert.equal(status, 'degraded');
      waits.push(Date.parse(nextTryAt ?? '') - stage.clock.now());
      advanceTo(nextTryAt);
    }
    oauth.mend();
    for (const [turn, waitMs] of waits.entries()) {
      const middle = Math.min(15_000 * 2 ** turn, HOUR_MS);
      assert.ok(waitMs >= middle * 0.79 && waitMs <= middle * 1.21, `${turn}: ${waitMs}`);
    }
    await runRefreshDue();
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test('rejects the client never ends the connection, and the operator is told', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidClient, 8);
    const told = stage.lines.length;
    for (let turn = 0; turn < 8; turn++) {
      await runRefreshDue();
      const { status, nextTryAt } = await at.status('acme');
      assert.equal(status, 'degraded');
      advanceTo(nextTryAt);
    }
    assert.ok(stage.lines.slice(told).some(({ level }) => level === 'error'));
    await runRefreshDue();
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test('says invalid_grant ends the connection, once and without a second request', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidGrant);
    await at.refusedToken('acme', 409);
    const { status, reason, nextTryAt } = await at.status('acme');
    assert.deepEqual([status, reason, nextTryAt], ['needs_reconnect', 'revoked_or_expired', null]);
    const refreshes = oauth.count('refresh');
    stage.clock.advance(10 * HOUR_MS);
    await runRefreshDue();
    assert.equal((await at.refusedToken('acme', 409)).code, 'integrations.needs_reconnect');
    assert.equal(oauth.count('refresh'), refreshes);
    await at.connect('acme', account);
    assert.equal((await at.status('acme')).status, 'connected', 'A reconnect mends it.');
  });

  test("says invalid_grant with status 500 doesn't end the connection", async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', ({ response }) => void response.writeHead(502).end('{"error":"invalid_grant"}'));
    await runRefreshDue();
    assert.equal((await at.status('acme')).status, 'degraded');
  });

  test('loses its response after spending the token: one more request at expiry, then a reconnect is needed', async () => {
    const { at, token } = await openConnected();
    stage.clock.advance(DUE_MS);
    const refreshes = oauth.count('refresh');
    oauth.fail('refresh', afterWork(closed));
    assert.equal(await at.token('acme'), token);
    const { nextTryAt, expiresAt } = await at.status('acme');
    assert.ok(Date.parse(nextTryAt ?? '') >= Date.parse(expiresAt ?? ''));
    advanceTo(nextTryAt);
    await runRefreshDue();
    assert.equal((await at.status('acme')).status, 'needs_reconnect');
    stage.clock.advance(HOUR_MS);
    await runRefreshDue();
    assert.equal(oauth.count('refresh'), refreshes + 2);
  });

  for (const provider of ['acme', 'acme-full'])
    test(`refuses connections (${provider}): fails the same way at the exchange and at the refresh, and recovers`, async () => {
      const { at, token } = await openConnected(provider);
      const other = await stage.newTeam();
      const { path, cookie } = await other.at.goToProvider(provider, account);
      await oauth.close();
      try {
        const arrived = await stage.ask('GET', path, { accept: 'application/json', cookie });
        assert.equal(expectProblem(arrived, 502, 'exchange').code, 'integrations.exchange_unavailable');
        stage.clock.advance(DUE_MS);
        assert.equal(await at.token(provider), token);
        const { status, reason, nextTryAt } = await at.status(provider);
        assert.deepEqual([status, reason], ['degraded', 'provider_unavailable']);
        const waitMs = Date.parse(nextTryAt ?? '') - stage.clock.now();
        assert.ok(waitMs <= 18_000, `Surely not done, so it is soon tried again: ${waitMs}`);
        advanceTo(nextTryAt);
      } finally {
        await oauth.open();
      }
      await runRefreshDue();
      assert.equal((await at.status(provider)).status, 'connected');
    });

  test('refuses connections at the disconnect: revoked as soon as it is back, even if the issuer was never asked', async () => {
    for (const fresh of [false, true]) {
      const { at, team } = await openConnected();
      const ask = fresh ? (await stage.openOther()).ask : stage.ask;
      await oauth.close();
      try {
        assert.equal(
          await createTeamMember(ask, at.headers, oauth).disconnect('acme'),
          'failed_will_retry',
          fresh ? 'by a process that has not discovered the issuer yet' : 'by a process that knows the issuer',
        );
      } finally {
        await oauth.open();
      }
      const rows = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
      assert.equal(rows.length, 1, 'The one token that the retry needs is kept.');
    }
  });

  test('has an unreachable issuer: connect says so and when to retry, and a refresh waits', async () => {
    const { at, token } = await openConnected();
    const other = await stage.openOther();
    await oauth.close();
    try {
      const there = createTeamMember(other.ask, at.headers, oauth);
      const begun = await other.ask('POST', '/api/integrations/acme/connect', at.headers);
      assert.equal(expectProblem(begun, 503, 'connect').code, 'integrations.issuer_away');
      stage.clock.advance(DUE_MS);
      assert.equal(await there.token('acme'), token);
      const { status, nextTryAt } = await there.status('acme');
      assert.equal(status, 'degraded');
      advanceTo(nextTryAt);
    } finally {
      await oauth.open();
    }
    await other.app.integrations.refreshDue();
    stage.clock.advance(1_000);
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test("works while the account can't be fetched: connected anyway, without a name", async () => {
    for (const fault of [serverError, silent, html]) {
      const { at } = await stage.newTeam();
      oauth.fail('userinfo', fault);
      const reply = await at.tryConnect('acme', account);
      assert.equal(reply.status, 200, reply.body);
      const { status, account: shown } = await at.status('acme');
      assert.equal(status, 'connected');
      assert.deepEqual(shown, { id: null, label: null });
      assert.equal(await oauth.whoIs(await at.token('acme')), account);
    }
  });

  test('is busy and says until when is left alone that long, even if a retry would do no harm', async () => {
    const { at } = await openConnected('acme-never');
    stage.clock.advance(DUE_MS);
    const until = { 'retry-after': new Date(stage.clock.now() + 2 * HOUR_MS).toUTCString() };
    oauth.fail('refresh', ({ response }) => void response.writeHead(503, until).end(), EVER);
    await runRefreshDue();
    const { status, nextTryAt } = await at.status('acme-never');
    assert.equal(status, 'degraded');
    assert.ok(Date.parse(nextTryAt ?? '') >= stage.clock.now() + 2 * HOUR_MS - 1_000, `${nextTryAt}`);
  });

  test('says nothing is never waited for longer than ten seconds', () => {
    assert.equal(Math.max(...stage.patience), 10_000);
  });

  test('never has its words end up in the log', () => {
    assert.doesNotMatch(inspect(stage.lines, { depth: 9 }), /canary-of-the-provider|secret-of-the-operator/);
    for (const { accessToken, refreshToken } of oauth.issued) {
      const log = inspect(stage.lines, { depth: 9 });
      assert.ok(!log.includes(accessToken) && !log.includes(refreshToken));
    }
  });
});
