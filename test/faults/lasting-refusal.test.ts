import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { createTestLog } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { errorWith200, html, invalidClient, invalidGrant, serverError } from '../harness/oauth-server/faults.ts';
import type { Fault } from '../harness/oauth-server/gate.ts';
import { OPERATOR, TEAM } from '../harness/oauth-server.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DUE_MS = HOUR_MS - 4 * MINUTE_MS;
const EVER = Number.POSITIVE_INFINITY;

/** What a firewall in front of the provider says. */
const blocked =
  (status: number): Fault =>
  ({ response }) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Request blocked</h1>');

onEachEngine('a connection that is refused', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  const oauth = prepare(async () => stage.oauth);

  beforeEach(() => oauth.mend());
  afterEach(() => stage.removeConnections());

  const openConnected = async () => {
    const made = await stage.newTeam();
    const account = stage.newAccount();
    await made.at.connect('acme-full', account);
    return { ...made, account };
  };

  /** The background job, every three hours or at the end of a shorter time. */
  const pass = async (ms: number, everyMs = Math.min(ms, 3 * HOUR_MS)): Promise<void> => {
    for (let passed = 0; passed < ms; passed += everyMs) {
      await stage.app.integrations.refreshDue();
      stage.clock.advance(everyMs);
    }
    await stage.app.integrations.refreshDue();
  };

  test('for days needs a reconnect, says so, and is tried once a day', async () => {
    const { at, account } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', errorWith200, EVER);
    await pass(2 * DAY_MS);
    assert.equal((await at.status('acme-full')).status, 'degraded', 'Two days are not enough.');
    await pass(1.5 * DAY_MS);
    const { status, reason, lastError, nextTryAt, troubleSince } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['needs_reconnect', 'refused_for_days']);
    assert.match(lastError ?? '', /3 days.*200.*"internal_error"/);
    assert.ok(Date.parse(troubleSince ?? '') <= stage.clock.now() - 3 * DAY_MS);
    const waitMs = Date.parse(nextTryAt ?? '') - stage.clock.now();
    assert.ok(waitMs > 0 && waitMs <= DAY_MS, nextTryAt ?? 'never');
    const refreshes = oauth.count('refresh');
    await pass(3 * DAY_MS);
    assert.equal(oauth.count('refresh') - refreshes, 3);
    const refused = await at.refusedToken('acme-full', 409);
    assert.equal(refused.code, 'integrations.needs_reconnect');
    assert.match(refused.detail, /refused to renew this connection for days/);
    await at.connect('acme-full', account);
    stage.clock.advance(DUE_MS);
    await stage.app.integrations.refreshDue();
    assert.equal((await at.status('acme-full')).status, 'degraded', 'The days begin anew.');
  });

  test('for days recovers on its own once the provider can be reached', async () => {
    const { at, account } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', blocked(403), EVER);
    await pass(4 * DAY_MS);
    const { reason, lastError } = await at.status('acme-full');
    assert.equal(reason, 'refused_for_days');
    assert.match(lastError ?? '', /403/);
    oauth.mend();
    await pass(DAY_MS);
    const { status, lastError: none, nextTryAt } = await at.status('acme-full');
    assert.deepEqual([status, none, nextTryAt], ['connected', null, null]);
    assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
  });

  test('for days recovers together with others of its client, but not with those that ended for good', async () => {
    const [first, later, ended] = [await openConnected(), await openConnected(), await openConnected()];
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', blocked(403), EVER);
    const holdBack = (ms: number) =>
      stage.app.database.run('update connections set refresh_due_at = $1 where team_id = $2', [
        stage.clock.now() + ms,
        later.team.id,
      ]);
    await holdBack(8 * HOUR_MS);
    await pass(4 * DAY_MS);
    for (const { at } of [first, later]) assert.equal((await at.status('acme-full')).reason, 'refused_for_days');
    await stage.app.database.run('update connections set refresh_due_at = null where team_id = $1', [ended.team.id]);
    oauth.mend();
    const { nextTryAt } = await first.at.status('acme-full');
    await holdBack(2 * DAY_MS);
    stage.clock.advance(Math.max(0, Date.parse(nextTryAt ?? '') - stage.clock.now()));
    const refreshes = oauth.count('refresh');
    await stage.app.integrations.refreshDue();
    for (const { at } of [first, later]) assert.equal((await at.status('acme-full')).status, 'connected');
    assert.equal((await ended.at.status('acme-full')).status, 'needs_reconnect');
    assert.equal(oauth.count('refresh') - refreshes, 2);
  });

  test('for days still hands out a token that has not expired', async () => {
    const { at, team, account } = await openConnected();
    const expiresAt = stage.clock.now() + 10 * DAY_MS;
    await stage.app.database.run('update connections set expires_at = $1 where team_id = $2', [expiresAt, team.id]);
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', blocked(403), EVER);
    await pass(4 * DAY_MS);
    assert.equal((await at.status('acme-full')).status, 'needs_reconnect');
    assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
    stage.clock.advance(7 * DAY_MS);
    assert.equal((await at.refusedToken('acme-full', 409)).code, 'integrations.needs_reconnect');
  });

  test('for days stays so during an outage, and ends for good when the provider says the grant has ended', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', blocked(403), EVER);
    await pass(4 * DAY_MS);
    const { lastError } = await at.status('acme-full');
    for (const fault of [serverError, blocked(404)]) {
      oauth.mend();
      oauth.fail('refresh', fault, EVER);
      await pass(1.25 * DAY_MS);
      const now = await at.status('acme-full');
      assert.deepEqual([now.status, now.reason, now.lastError], ['needs_reconnect', 'refused_for_days', lastError]);
    }
    oauth.mend();
    oauth.fail('refresh', invalidGrant, EVER);
    await pass(1.5 * DAY_MS);
    const { status, reason, nextTryAt } = await at.status('acme-full');
    assert.deepEqual([status, reason, nextTryAt], ['needs_reconnect', 'revoked_or_expired', null]);
  });

  test("with two different statuses doesn't count as refused the same way", async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    for (const status of [403, 404]) {
      oauth.mend();
      oauth.fail('refresh', blocked(status), EVER);
      await pass(2 * DAY_MS);
    }
    assert.equal((await at.status('acme-full')).status, 'degraded');
  });

  const redirect: Fault = ({ response }) =>
    void response.writeHead(302, { location: 'https://elsewhere.example' }).end();
  const empty: Fault = ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  const MIXES: Record<string, Fault[]> = {
    'two different statuses by turns': [blocked(403), blocked(404)],
    pages: [html],
    redirects: [redirect],
    'answers without tokens': [empty, serverError],
  };
  for (const [what, faults] of Object.entries(MIXES))
    test(`with ${what} needs a reconnect after a week`, async () => {
      const { at } = await openConnected();
      stage.clock.advance(DUE_MS);
      const passInTurns = async (days: number) => {
        for (let half = 0; half < days * 2; half++) {
          oauth.mend();
          oauth.fail('refresh', faults[half % faults.length] ?? assert.fail(), EVER);
          await pass(DAY_MS / 2);
        }
      };
      await passInTurns(6);
      assert.equal((await at.status('acme-full')).status, 'degraded');
      await passInTurns(3);
      const { status, reason, lastError, nextTryAt } = await at.status('acme-full');
      assert.deepEqual([status, reason], ['needs_reconnect', 'refused_for_days']);
      assert.match(lastError ?? '', /^For [7-9] days, no renewal has succeeded/);
      assert.ok(nextTryAt);
    });

  test('for days with outages in between needs a reconnect too', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    for (let day = 0; day < 4; day++) {
      oauth.fail('refresh', serverError, 4);
      oauth.fail('refresh', errorWith200, 20);
      await pass(DAY_MS, HOUR_MS);
      oauth.mend();
      oauth.fail('refresh', errorWith200, 1);
    }
    assert.equal((await at.status('acme-full')).reason, 'refused_for_days');
  });

  test('needs no reconnect after an outage of days', async () => {
    const { at, account } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', serverError, EVER);
    await pass(5 * DAY_MS);
    assert.equal((await at.status('acme-full')).status, 'degraded');
    oauth.mend();
    await pass(2 * HOUR_MS);
    assert.equal((await at.status('acme-full')).status, 'connected');
    assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
  });

  test("because of its client is the operator's problem while the client works for nobody", async () => {
    const { at } = await openConnected();
    await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidClient, EVER);
    await pass(5 * DAY_MS);
    const { status, reason } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['degraded', 'client_refused']);
  });

  test('because of its client needs a reconnect if the client works for others', async () => {
    const { at } = await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidClient, EVER);
    for (let halfDays = 0; halfDays < 7; halfDays++) {
      // Someone else connects with it: the exchange isn't refused.
      await openConnected();
      await pass(DAY_MS / 2);
    }
    const { status, reason, lastError } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['needs_reconnect', 'refused_for_days']);
    assert.match(lastError ?? '', /work for other connections/);
  });

  test('because of its client needs a reconnect if nobody else uses it, and says what may be wrong', async () => {
    const { at, account } = await openConnected();
    const ended = await openConnected();
    await stage.app.database.run(
      "update connections set status = 'needs_reconnect', refresh_due_at = null where team_id = $1",
      [ended.team.id],
    );
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidClient, EVER);
    await pass(2 * DAY_MS);
    assert.equal((await at.status('acme-full')).status, 'degraded');
    const told = stage.lines.length;
    await pass(1.5 * DAY_MS);
    const { status, reason, lastError, nextTryAt } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['needs_reconnect', 'client_refused_for_days']);
    assert.match(lastError ?? '', /client ID and secret are wrong, .* or access has ended/);
    assert.ok(nextTryAt);
    assert.ok(
      stage.lines.slice(told).some(({ level }) => level === 'error'),
      'It may still be for the operator to mend.',
    );
    oauth.mend();
    await pass(DAY_MS);
    assert.equal((await at.status('acme-full')).status, 'connected');
    assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
  });

  test('because of its client at its own host needs a reconnect only while the client works elsewhere', async () => {
    const [here, there] = [await openConnected(), await openConnected()];
    const moveThere = () =>
      stage.app.database.run("update connections set authority = 'there.example' where team_id = $1", [there.team.id]);
    await moveThere();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidClient, EVER);
    await pass(5 * DAY_MS);
    assert.equal((await here.at.status('acme-full')).status, 'degraded', 'It works nowhere.');
    for (let halfDays = 0; halfDays < 7; halfDays++) {
      await there.at.connect('acme-full', there.account);
      await moveThere();
      await pass(DAY_MS / 2);
      if (halfDays === 4) assert.equal((await here.at.status('acme-full')).status, 'degraded', 'The days begin anew.');
    }
    assert.equal((await here.at.status('acme-full')).reason, 'client_refused_for_days');
  });

  test('because of its client survives days with a wrong secret that is fixed one process at a time', async () => {
    const { at, account } = await openConnected();
    await openConnected();
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', invalidClient, EVER);
    await pass(5 * DAY_MS);
    // The first process with the right secret has gotten tokens; the others still have the wrong one.
    await openConnected();
    await pass(6 * HOUR_MS);
    assert.equal((await at.status('acme-full')).status, 'degraded');
    oauth.mend();
    await pass(2 * HOUR_MS);
    assert.equal((await at.status('acme-full')).status, 'connected');
    assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
  });

  test("because of the team's own client needs a reconnect, and recovers when the secret is fixed", async () => {
    const { at } = await stage.newTeam();
    const account = stage.newAccount();
    const putSecret = async (clientSecret: string) => {
      const client = { clientId: TEAM.id, clientSecret };
      const put = await stage.ask('PUT', '/api/integrations/acme-full/credentials', at.headers, client);
      assert.equal(put.status, 200, put.body);
    };
    await putSecret(TEAM.secret);
    await at.connect('acme-full', account);
    await putSecret('wrong-secret-of-the-team');
    stage.clock.advance(DUE_MS);
    await pass(2 * DAY_MS);
    assert.equal((await at.status('acme-full')).reason, 'client_refused');
    await pass(1.5 * DAY_MS);
    const { status, reason, lastError } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['needs_reconnect', 'client_refused_for_days']);
    assert.match(lastError ?? '', /3 days.*client ID and secret/);
    assert.doesNotMatch(lastError ?? '', /other connections/);
    await putSecret(TEAM.secret);
    await stage.app.integrations.refreshDue();
    assert.equal((await at.status('acme-full')).status, 'connected', 'At once, and not with the try of the day.');
    assert.equal(await oauth.whoIs(await at.token('acme-full')), account);
  });

  test('because another client id is set needs a reconnect, and works again with the old one', async () => {
    const { at, team } = await openConnected();
    const setClient = (id: string) =>
      stage.app.database.run('update connections set client_id = $1 where team_id = $2', [id, team.id]);
    await setClient('client-of-last-year');
    stage.clock.advance(DUE_MS);
    const refreshes = oauth.count('refresh');
    await pass(2 * DAY_MS);
    assert.equal((await at.status('acme-full')).reason, 'client_replaced');
    assert.equal((await at.status('acme-full')).status, 'degraded');
    await pass(1.5 * DAY_MS);
    const { status, reason, lastError } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['needs_reconnect', 'client_replaced']);
    assert.match(lastError ?? '', /a different OAuth app/);
    assert.equal(oauth.count('refresh'), refreshes, 'A grant is not offered to another client.');
    await setClient(OPERATOR.id);
    await pass(DAY_MS);
    assert.equal((await at.status('acme-full')).status, 'connected');
  });

  test("needs no reconnect because its client isn't set up here", async () => {
    const { at, team } = await openConnected();
    stage.clock.advance(DUE_MS);
    const bare = buildApp(
      { ...stage.config, clientIds: {}, clientSecrets: {} },
      { clock: stage.clock, log: createTestLog().log, threads: false },
    );
    try {
      for (let hours = 0; hours < 96; hours += 3) {
        if (hours % 12 === 0) await openConnected();
        await bare.integrations.refreshDue();
        stage.clock.advance(3 * HOUR_MS);
      }
    } finally {
      await bare.close();
    }
    const { status, reason, refusal, lastError } = await stage.row(team.id, 'acme-full');
    assert.deepEqual([status, reason, refusal], ['degraded', 'client_missing', null]);
    assert.match(lastError ?? '', /no longer set up/);
    await pass(2 * HOUR_MS);
    assert.equal((await at.status('acme-full')).status, 'connected');
  });
});
