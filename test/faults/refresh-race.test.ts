import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/index.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import {
  afterWork,
  closed,
  errorWith200,
  invalidGrant,
  rateLimited,
  serverError,
} from '../harness/oauth-server/faults.ts';
import { createTeamMember } from '../harness/team-member.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** From here on, a token with a lifetime of an hour is due; it still works. */
const DUE_MS = HOUR_MS - 4 * MINUTE_MS;
const LEASE_MS = 45_000;
const WORKS_STILL = 'The access token has not expired.';

onEachEngine('a refresh during another change', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  const oauth = prepare(async () => stage.oauth);
  let account: string;

  beforeEach(() => {
    account = stage.newAccount();
  });
  afterEach(async () => {
    oauth.mend();
    Object.assign(oauth.rules, { rotates: true, hasGrace: () => false, endsWholeGrant: true });
    await stage.removeConnections();
  });

  /** Connected, and due. */
  const openDue = async (provider: string) => {
    const team = await stage.newTeam();
    await team.at.connect(provider, account);
    const token = await team.at.token(provider);
    stage.clock.advance(DUE_MS);
    return { ...team, token, refreshesBefore: oauth.count('refresh') };
  };

  const newestIssued = () => {
    const newest = oauth.issued.at(-1);
    assert.ok(newest);
    return newest;
  };

  const advanceTo = (instant: string | null): void => {
    assert.ok(instant);
    stage.clock.advance(Math.max(0, Date.parse(instant) - stage.clock.now()));
  };

  test('a reconnect wins: the new account stays, and the refreshed tokens are revoked', async () => {
    const { at } = await openDue('acme');
    const other = stage.newAccount();
    const held = oauth.hold('refresh', 'after');
    const asked = at.token('acme');
    await held.arrived;
    const brought = newestIssued();
    assert.equal(brought.kind, 'refresh');
    await at.connect('acme', other);
    const connected = newestIssued().accessToken;
    held.release();
    assert.equal(await asked, connected, "Whoever waited gets the new account's token.");
    const { status, account: shown } = await at.status('acme');
    assert.equal(status, 'connected');
    assert.equal(shown?.id, other);
    assert.equal(await at.token('acme'), connected);
    assert.equal(await oauth.whoIs(connected), other);
    assert.equal(await oauth.isActive(brought.refreshToken), false);
    assert.equal(await oauth.whoIs(brought.accessToken), null);
  });

  test('a reconnect wins over a grant of an unknown account, which is not revoked: both may be the same', async () => {
    const { at, team } = await openDue('acme');
    await stage.app.database.run('update connections set account_id = null where team_id = $1', [team.id]);
    const held = oauth.hold('refresh', 'after');
    const asked = at.token('acme');
    await held.arrived;
    await at.connect('acme', account);
    const connected = newestIssued().accessToken;
    const revoked = oauth.count('revoke');
    held.release();
    assert.equal(await asked, connected);
    assert.equal(oauth.count('revoke'), revoked);
    assert.equal(await oauth.whoIs(connected), account);
  });

  test("a reconnect isn't affected by a failing refresh, however it fails", async () => {
    for (const fault of [invalidGrant, serverError, closed]) {
      const { at } = await openDue('acme');
      const held = oauth.hold('refresh', 'before', fault);
      const asked = at.token('acme');
      await held.arrived;
      await at.connect('acme', account);
      held.release();
      assert.equal(await oauth.whoIs(await asked), account);
      const { status, reason, lastError } = await at.status('acme');
      assert.deepEqual([status, reason, lastError], ['connected', null, null]);
    }
  });

  test('a disconnect wins, and the refreshed tokens are revoked', async () => {
    // The server ends only the token that it's given, so each one must be sent.
    oauth.rules.endsWholeGrant = false;
    const { at, team } = await openDue('acme');
    const held = oauth.hold('refresh', 'after');
    const asked = at.refusedToken('acme', 409);
    await held.arrived;
    const brought = newestIssued();
    assert.equal(await at.disconnect('acme'), 'revoked');
    assert.equal(await oauth.isActive(brought.refreshToken), true, 'The answer is still under way.');
    held.release();
    assert.equal((await asked).code, 'integrations.not_connected');
    assert.equal(await oauth.isActive(brought.refreshToken), false);
    assert.equal((await at.status('acme')).status, 'disconnected');
    const left = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
    assert.deepEqual(left, []);
  });

  test('a disconnect that read the connection before the refresh revokes what the refresh brought', async () => {
    oauth.rules.endsWholeGrant = false;
    const { at } = await openDue('acme');
    const read = holdAnswer(stage.app.database, 'get', 'from connections where');
    const disconnected = at.disconnect('acme');
    await read.answered;
    await at.token('acme').finally(read.release);
    const brought = newestIssued();
    assert.equal(brought.kind, 'refresh');
    assert.equal(await disconnected, 'revoked');
    assert.equal(await oauth.isActive(brought.refreshToken), false);
    assert.equal((await at.status('acme')).status, 'disconnected');
  });

  test('after a disconnect, revoking the refreshed tokens is retried if it fails', async () => {
    const { at, team } = await openDue('acme');
    const held = oauth.hold('refresh', 'after');
    const asked = at.refusedToken('acme', 409);
    await held.arrived;
    assert.equal(await at.disconnect('acme'), 'revoked');
    oauth.fail('revoke', serverError);
    held.release();
    await asked;
    const left = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
    assert.equal(left.length, 1, 'The token that the retry needs is kept.');
  });

  test('a disconnect leaves a grant alone that another team uses', async () => {
    const other = await stage.newTeam();
    await other.at.connect('acme', account);
    const { at } = await openDue('acme');
    const held = oauth.hold('refresh', 'after');
    const asked = at.refusedToken('acme', 409);
    await held.arrived;
    assert.equal(await at.disconnect('acme'), 'shared');
    held.release();
    await asked;
    assert.equal(await oauth.whoIs(await other.at.token('acme')), account, "The other team's connection still works.");
  });

  test('two processes at once make one request, and both get its tokens', async () => {
    const { at, refreshesBefore } = await openDue('acme');
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    const held = oauth.hold('refresh', 'after');
    const here = Array.from({ length: 20 }, () => at.token('acme'));
    await held.arrived;
    const others = Array.from({ length: 20 }, () => there.token('acme'));
    held.release();
    const tokens = new Set(await Promise.all([...here, ...others]));
    assert.deepEqual([...tokens], [newestIssued().accessToken]);
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
  });

  test("after a lease runs out, the next process doesn't spend the refresh token while the access token works", async () => {
    const { at, team, token, refreshesBefore } = await openDue('acme');
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    const held = oauth.hold('refresh', 'after');
    const asked = at.token('acme');
    await held.arrived;
    stage.clock.advance(LEASE_MS);
    assert.equal(await there.token('acme'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
    const { status, nextTryAt, expiresAt } = await there.status('acme');
    assert.equal(status, 'degraded');
    assert.ok(Date.parse(nextTryAt ?? '') >= Date.parse(expiresAt ?? ''));

    held.release();
    assert.equal(await asked, newestIssued().accessToken, 'What came late is not dropped.');
    const row = await stage.row(team.id, 'acme');
    assert.deepEqual([row.status, row.generation, row.leaseUntil, row.refreshBegunAt], ['connected', 2, null, null]);
    stage.clock.advance(1_000);
    assert.equal(await there.token('acme'), newestIssued().accessToken);
    assert.equal((await there.status('acme')).status, 'connected');
  });

  test('while a lease is held, other processes wait for it', async () => {
    const { at, refreshesBefore } = await openDue('acme-grace');
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    const held = oauth.hold('refresh', 'after');
    const asked = at.token('acme-grace');
    await held.arrived;
    stage.clock.advance(LEASE_MS - 1);
    let answered = false;
    const elsewhere = there.token('acme-grace').then((token) => {
      answered = true;
      return token;
    });
    // Something that takes longer than the other process needs to check.
    await there.connect('acme', account);
    assert.equal(answered, false);
    held.release();
    assert.equal(await elsewhere, await asked);
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
  });

  test("invalid_grant after another process has refreshed doesn't require a reconnect", async () => {
    const { at, refreshesBefore } = await openDue('acme-grace');
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    const held = oauth.hold('refresh', 'before', invalidGrant);
    const asked = at.token('acme-grace');
    await held.arrived;
    stage.clock.advance(LEASE_MS);
    const token = await there.token('acme-grace');
    assert.equal(token, newestIssued().accessToken);
    assert.equal(oauth.count('refresh'), refreshesBefore + 2);
    held.release();
    assert.equal(await asked, token);
    const { status, reason } = await at.status('acme-grace');
    assert.deepEqual([status, reason], ['connected', null]);
    assert.equal(await oauth.whoIs(token), account);
  });

  test('a refusal that comes after a lease ran out leaves the lease of the next process alone', async () => {
    const { at, team, token } = await openDue('acme-grace');
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    const late = oauth.hold('refresh', 'before', invalidGrant);
    const asked = at.token('acme-grace');
    await late.arrived;
    stage.clock.advance(LEASE_MS);
    const next = oauth.hold('refresh', 'after');
    const elsewhere = there.token('acme-grace');
    await next.arrived;
    const leased = await stage.row(team.id, 'acme-grace');
    late.release();
    assert.equal(await asked, token, WORKS_STILL);
    assert.deepEqual(await stage.row(team.id, 'acme-grace'), leased);
    next.release();
    assert.equal(await elsewhere, newestIssued().accessToken);
  });

  test('after the database failed during a refresh, the next request refreshes', async () => {
    const { at, token, refreshesBefore } = await openDue('acme');
    const { database } = stage.app;
    const { get } = database;
    const failOnce: typeof get = async (text, values) => {
      if (!text.includes('set lease_owner')) return get(text, values);
      Object.assign(database, { get });
      throw new DatabaseUnavailable('The connection was lost.');
    };
    Object.assign(database, { get: failOnce });
    assert.equal(await at.token('acme'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore);
    assert.equal(await at.token('acme'), newestIssued().accessToken);
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
  });

  test("a slower process that missed an unclear response doesn't spend the token a second time", async () => {
    const { at, token, refreshesBefore } = await openDue('acme');
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    // The other process has read that it is due, and is held up before it takes the lease.
    const held = oauth.hold('discovery', 'before');
    const late = there.token('acme');
    await held.arrived;
    oauth.fail('refresh', afterWork(closed));
    assert.equal(await at.token('acme'), token, WORKS_STILL);
    assert.equal((await at.status('acme')).status, 'degraded');
    held.release();
    assert.equal(await late, token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
    const { status } = await there.status('acme');
    assert.equal(status, 'degraded');
  });

  for (const provider of ['acme', 'acme-full'])
    for (const wasDone of [false, true])
      test(`${provider}: after an unclear response (${wasDone ? 'carried out' : 'not carried out'}), one more request when the access token expires`, async () => {
        const { at, token, refreshesBefore } = await openDue(provider);
        oauth.fail('refresh', wasDone ? afterWork(closed) : serverError);
        for (let turn = 0; turn < 3; turn++) {
          assert.equal(await at.token(provider), token, WORKS_STILL);
          await stage.app.integrations.refreshDue();
          stage.clock.advance(MINUTE_MS);
        }
        assert.equal(oauth.count('refresh'), refreshesBefore + 1);
        const { status, nextTryAt, expiresAt } = await at.status(provider);
        assert.equal(status, 'degraded');
        assert.ok(Date.parse(nextTryAt ?? '') >= Date.parse(expiresAt ?? ''));
        advanceTo(nextTryAt);
        await Promise.all(
          Array.from({ length: 10 }, () => stage.ask('POST', `/api/integrations/${provider}/token`, at.headers)),
        );
        assert.equal(oauth.count('refresh'), refreshesBefore + 2);
        const ended = await at.status(provider);
        assert.equal(ended.status, wasDone ? 'needs_reconnect' : 'connected');
        stage.clock.advance(10 * MINUTE_MS);
        await stage.app.integrations.refreshDue();
        assert.equal(oauth.count('refresh'), refreshesBefore + 2);
        if (!wasDone) assert.equal(await oauth.whoIs(await at.token(provider)), account);
      });

  test('after an unclear response, a token that never rotates is tried again immediately', async () => {
    oauth.rules.rotates = false;
    const { at, token, refreshesBefore } = await openDue('acme-never');
    oauth.fail('refresh', afterWork(closed));
    const second = await at.token('acme-never');
    assert.notEqual(second, token);
    assert.equal(second, newestIssued().accessToken);
    assert.equal(oauth.count('refresh'), refreshesBefore + 2);
    assert.equal((await at.status('acme-never')).status, 'connected');
  });

  test('after an unclear response, a token with a grace period is tried again immediately, and the newest is kept', async () => {
    oauth.rules.hasGrace = () => true;
    const { at, token, refreshesBefore } = await openDue('acme-grace');
    oauth.fail('refresh', afterWork(closed));
    const second = await at.token('acme-grace');
    assert.notEqual(second, token);
    assert.equal(second, newestIssued().accessToken);
    assert.equal(oauth.count('refresh'), refreshesBefore + 2);
    stage.clock.advance(DUE_MS);
    assert.equal(await oauth.whoIs(await at.token('acme-grace')), account, 'The refresh token that is kept works.');
    assert.equal((await at.status('acme-grace')).status, 'connected');
  });

  test('unclear responses for longer than the grace period wait until the access token expires', async () => {
    oauth.rules.hasGrace = () => true;
    const { at, team, token, refreshesBefore } = await openDue('acme-grace');
    const firstTryAt = stage.clock.now();
    oauth.fail('refresh', serverError, Number.POSITIVE_INFINITY);
    for (let turn = 0; turn < 10; turn++) {
      assert.equal(await at.token('acme-grace'), token, WORKS_STILL);
      stage.clock.advance(15_000);
    }
    const tries = oauth.count('refresh') - refreshesBefore;
    assert.ok(tries >= 3 && tries <= 6, `${tries} tries, all within the minute`);
    assert.equal(
      (await stage.row(team.id, 'acme-grace')).refreshBegunAt,
      firstTryAt,
      'The window began with the first.',
    );
    const { status, nextTryAt, expiresAt } = await at.status('acme-grace');
    assert.equal(status, 'degraded');
    assert.ok(Date.parse(nextTryAt ?? '') >= Date.parse(expiresAt ?? ''));
  });

  for (const [what, refusal] of Object.entries({
    'for its rate limit': rateLimited(120),
    'with status 200': errorWith200,
  }))
    test(`after a lost response and a retry refused ${what}, the token isn't spent again once the grace period is over`, async () => {
      oauth.rules.hasGrace = () => true;
      const { at, team, token, refreshesBefore } = await openDue('acme-grace');
      const firstTryAt = stage.clock.now();
      oauth.fail('refresh', afterWork(closed));
      oauth.fail('refresh', refusal, Number.POSITIVE_INFINITY);
      for (let turn = 0; turn < 12; turn++) {
        assert.equal(await at.token('acme-grace'), token, WORKS_STILL);
        assert.equal((await stage.row(team.id, 'acme-grace')).refreshBegunAt, firstTryAt);
        stage.clock.advance(15_000);
      }
      // Immediately, and once or twice more within the minute if the provider allows it.
      const tries = oauth.count('refresh') - refreshesBefore;
      assert.ok(tries >= 2 && tries <= 4, `${tries} tries`);
      const { nextTryAt, expiresAt } = await at.status('acme-grace');
      assert.ok(Date.parse(nextTryAt ?? '') >= Date.parse(expiresAt ?? ''));
    });

  test('after two lost responses and a refusal, the grace period still counts from the first', async () => {
    oauth.rules.hasGrace = () => true;
    const { at, team, token, refreshesBefore } = await openDue('acme-grace');
    const firstTryAt = stage.clock.now();
    oauth.fail('refresh', afterWork(closed), 2);
    oauth.fail('refresh', rateLimited(60));
    await at.token('acme-grace');
    stage.clock.advance(20_000);
    assert.equal(await at.token('acme-grace'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore + 3);
    assert.equal((await stage.row(team.id, 'acme-grace')).refreshBegunAt, firstTryAt);
    stage.clock.advance(MINUTE_MS + 1_000);
    assert.equal(await at.token('acme-grace'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore + 3, 'The minute is over.');
  });

  test('the mark of a process that died while refreshing outlives the next lease, and so does the grace period', async () => {
    const { at, team, token, refreshesBefore } = await openDue('acme-grace');
    const begunAt = stage.clock.now() - 2 * MINUTE_MS;
    await stage.app.database.run('update connections set refresh_begun_at = $1 where team_id = $2', [begunAt, team.id]);
    assert.equal(await at.token('acme-grace'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore, 'The minute is over.');
    assert.equal((await stage.row(team.id, 'acme-grace')).refreshBegunAt, begunAt);
  });

  test("tokens that can't be decrypted need a reconnect, and are tried once a day in case the key comes back", async () => {
    const { at, team, refreshesBefore } = await openDue('acme');
    const { refreshToken } = await stage.row(team.id, 'acme');
    const setToken = (sealed: string | null) =>
      stage.app.database.run('update connections set refresh_token = $1 where team_id = $2', [sealed, team.id]);
    await setToken('not what it was');
    const refused = await at.refusedToken('acme', 409);
    assert.match(refused.detail, /can no longer be decrypted/);
    const { status, reason, nextTryAt } = await at.status('acme');
    assert.deepEqual([status, reason], ['needs_reconnect', 'unreadable']);
    assert.equal(Date.parse(nextTryAt ?? ''), stage.clock.now() + 24 * HOUR_MS);
    await at.refusedToken('acme', 409);
    await setToken(refreshToken);
    stage.clock.advance(24 * HOUR_MS);
    await stage.app.integrations.refreshDue();
    assert.equal((await at.status('acme')).status, 'connected');
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
    assert.equal(await oauth.whoIs(await at.token('acme')), account);
  });

  const GONE = { 'its provider': 'acme-gone', 'the refresh of its provider': 'acme-still' };
  for (const [what, provider] of Object.entries(GONE))
    test(`after ${what} was removed, the token works until it expires, then a reconnect is needed, unless it comes back`, async () => {
      const { at, team, token } = await openDue('acme-full');
      const renameTo = (to: string, from: string) =>
        stage.app.database.run('update connections set provider = $1 where team_id = $2 and provider = $3', [
          to,
          team.id,
          from,
        ]);
      // Tokens are sealed under the name of their provider, so the row goes back before it is opened.
      await renameTo(provider, 'acme-full');
      const before = oauth.count('refresh');
      for (let turn = 0; turn < 3; turn++) await stage.app.integrations.refreshDue();
      const waiting = await stage.row(team.id, provider);
      assert.deepEqual([waiting.status, waiting.refreshDueAt], ['connected', waiting.expiresAt]);
      stage.clock.advance(HOUR_MS);
      await stage.app.integrations.refreshDue();
      const { status, reason, lastError, nextTryAt } = await at.status(provider);
      assert.deepEqual([status, reason], ['needs_reconnect', 'expired']);
      assert.match(lastError ?? '', /expired/);
      assert.equal(Date.parse(nextTryAt ?? ''), stage.clock.now() + HOUR_MS);
      assert.equal(oauth.count('refresh'), before);
      await renameTo('acme-full', provider);
      stage.clock.advance(HOUR_MS);
      await stage.app.integrations.refreshDue();
      assert.equal((await at.status('acme-full')).status, 'connected');
      assert.notEqual(await at.token('acme-full'), token);
    });

  test('two unclear responses for a token that never rotates: degraded, and soon tried again', async () => {
    oauth.rules.rotates = false;
    const { at, token, refreshesBefore } = await openDue('acme-never');
    oauth.fail('refresh', serverError, 2);
    assert.equal(await at.token('acme-never'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore + 2);
    const { status, nextTryAt, expiresAt } = await at.status('acme-never');
    assert.equal(status, 'degraded');
    assert.ok(Date.parse(nextTryAt ?? '') < Date.parse(expiresAt ?? ''), 'Long before its end.');
    advanceTo(nextTryAt);
    await stage.app.integrations.refreshDue();
    assert.equal((await at.status('acme-never')).status, 'connected');
  });

  test('the mark of an unclear response outlives a clear failure', async () => {
    const { at, team, token, refreshesBefore } = await openDue('acme');
    oauth.fail('refresh', afterWork(closed));
    await at.token('acme');
    const { refreshBegunAt } = await stage.row(team.id, 'acme');
    assert.ok(refreshBegunAt);
    // Due again although the token still works, as after a clock change.
    await stage.app.database.run('update connections set refresh_due_at = $1 where team_id = $2', [
      stage.clock.now(),
      team.id,
    ]);
    assert.equal(await at.token('acme'), token, WORKS_STILL);
    assert.equal(oauth.count('refresh'), refreshesBefore + 1);
    assert.equal((await stage.row(team.id, 'acme')).refreshBegunAt, refreshBegunAt);
    await waitUntil('the lease was given back', async () => (await stage.row(team.id, 'acme')).leaseUntil === null);
  });
});
