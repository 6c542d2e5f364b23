import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { FRIENDLY, HOURLY, LASTING, openVerificationStage, RENEWED, SILENT } from '../harness/verification-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FOREVER = { times: 1_000 };
const REFUSAL = { status: 401, answer: { error: 'invalid_token' } };

onOneEngine('a connection that nobody uses', (engine) => {
  const stage = useStage(() => openVerificationStage(engine));
  const simulator = prepare(async () => stage.simulator);
  afterEach(() => stage.removeConnections());

  /** A team whose connection was verified right after the connect. */
  const verified = async (provider: string) => {
    const team = await stage.newTeam();
    await stage.connect(team, provider);
    await stage.verifyDue();
    assert.equal(stage.seen(provider).at(-1), 'verify 200');
    return team;
  };
  const passDay = async (ms = DAY_MS): Promise<void> => {
    stage.clock.advance(ms);
    await stage.verifyDue();
  };

  test('is verified in the background right after the connect, and then about once a day', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, RENEWED);
    assert.deepEqual(stage.seen(RENEWED), ['token 200', 'identity 200'], 'The callback waits for nothing more.');
    await stage.verifyDue();
    await stage.verifyDue();
    const [sent, ...others] = simulator.requestsOf(RENEWED, 'verify');
    assert.equal(sent?.accessToken, simulator.issued(RENEWED).accessToken);
    assert.deepEqual(others, []);
    stage.seen(RENEWED);
    await passDay(20 * HOUR_MS);
    assert.deepEqual(stage.seen(RENEWED), []);
    for (let day = 0; day < 3; day++) {
      await passDay();
      assert.deepEqual(stage.seen(RENEWED), ['verify 200']);
    }
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
    assert.deepEqual(await stage.eventsOf(team), ['connection.connected']);
  });

  test('gets a new token within a day if the provider has ended the old one, and nobody notices', async () => {
    const team = await verified(RENEWED);
    simulator.endAccess(RENEWED);
    await passDay();
    assert.deepEqual(stage.seen(RENEWED), ['verify 401', 'refresh 200', 'verify 200']);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
    assert.deepEqual(await stage.eventsOf(team), ['connection.connected']);
    assert.equal((await stage.call(team, RENEWED)).statusCode, 200);
  });

  test('needs a reconnect within a day if the provider has ended the grant', async () => {
    const team = await verified(RENEWED);
    simulator.withdraw(RENEWED);
    await passDay();
    assert.deepEqual(stage.seen(RENEWED), ['verify 401', 'refresh 400']);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['needs_reconnect', 'revoked_or_expired']);
    assert.deepEqual(await stage.eventsOf(team), ['connection.connected', 'connection.needs_reconnect']);
    await passDay();
    assert.deepEqual(stage.seen(RENEWED), [], 'It has ended, so there is nothing to find out.');
  });

  test('needs a reconnect within a day if its token is refused and can not be renewed, and recovers by itself', async () => {
    const team = await verified(LASTING);
    simulator.fail(LASTING, 'verify', REFUSAL);
    await passDay();
    assert.deepEqual(await stage.standingOf(team, LASTING), ['needs_reconnect', 'token_refused']);
    const { lastError } = await stage.statusOf(team, LASTING);
    assert.match(lastError, /no longer accepts the access token/);
    const called = await stage.call(team, LASTING);
    assert.deepEqual([called.statusCode, called.json().code], [409, 'integrations.needs_reconnect']);
    await passDay(5 * MINUTE_MS);
    assert.deepEqual(stage.seen(LASTING), ['verify 401', 'verify 200'], 'The provider was mistaken.');
    assert.deepEqual(await stage.standingOf(team, LASTING), ['connected', null]);
    assert.deepEqual(await stage.eventsOf(team), [
      'connection.connected',
      'connection.needs_reconnect',
      'connection.recovered',
    ]);
  });

  test('needs a reconnect if even a new token is refused, which later refreshes alone do not change', async () => {
    const team = await verified(RENEWED);
    simulator.fail(RENEWED, 'verify', REFUSAL, FOREVER);
    await passDay();
    assert.deepEqual(stage.seen(RENEWED), ['verify 401', 'refresh 200', 'verify 401']);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['needs_reconnect', 'token_refused']);
    stage.clock.advance(30 * DAY_MS - 4 * MINUTE_MS);
    await stage.refreshDue();
    assert.deepEqual(stage.seen(RENEWED), ['refresh 200']);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['needs_reconnect', 'token_refused']);
    simulator.mend();
    for (let day = 0; day < 2; day++) await passDay();
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
    assert.deepEqual((await stage.eventsOf(team)).slice(1), ['connection.needs_reconnect', 'connection.recovered']);
  });

  test('stays as it is as long as the provider says nothing clear, and is asked again later', async () => {
    const team = await verified(LASTING);
    const unclear: [object | string, number][] = [
      [{ status: 403, answer: { error: 'insufficient_scope' } }, DAY_MS],
      [{ status: 404, answer: 'Not found' }, DAY_MS],
      ['html', DAY_MS],
      ['error_with_200', DAY_MS],
      ['server_error', 1.2 * HOUR_MS],
      ['no_answer', 1.2 * HOUR_MS],
      [{ retryAfterSeconds: 7_200 }, 2 * HOUR_MS],
    ];
    await passDay();
    for (const [fault, laterMs] of unclear) {
      simulator.fail(LASTING, 'verify', fault as never);
      stage.seen(LASTING);
      await passDay();
      assert.equal(stage.seen(LASTING).length, 1, JSON.stringify(fault));
      await passDay(laterMs / 2);
      assert.deepEqual(stage.seen(LASTING), [], JSON.stringify(fault));
      await passDay(laterMs / 2);
      assert.deepEqual(stage.seen(LASTING), ['verify 200'], JSON.stringify(fault));
    }
    assert.deepEqual(await stage.standingOf(team, LASTING), ['connected', null]);
    assert.deepEqual(await stage.eventsOf(team), ['connection.connected']);
  });

  test('is left alone if the verification has never worked for it, but the request about the account does', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, RENEWED);
    simulator.fail(RENEWED, 'verify', REFUSAL, FOREVER);
    stage.seen(RENEWED);
    await passDay(MINUTE_MS);
    await passDay();
    assert.deepEqual(stage.seen(RENEWED), ['verify 401', 'identity 200', 'verify 401', 'identity 200']);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
    simulator.withdraw(RENEWED);
    await passDay();
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['needs_reconnect', 'revoked_or_expired']);
  });

  test('has its account corrected if an earlier version has read it from other fields of the entry', async () => {
    const team = await verified(LASTING);
    const { account } = simulator.issued(LASTING);
    await stage.app.database.run("update connections set account_id = 'company', account_from = 'earlier fields'", []);
    await passDay();
    assert.deepEqual((await stage.statusOf(team, LASTING)).account, account);
    await passDay();
    assert.deepEqual(stage.seen(LASTING), ['verify 200', 'identity 200', 'verify 200']);
  });

  test('with an entry without a verification is never asked about', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, SILENT);
    stage.seen(SILENT);
    for (let day = 0; day < 3; day++) await passDay();
    assert.deepEqual(stage.seen(SILENT), []);
    assert.deepEqual(await stage.standingOf(team, SILENT), ['connected', null]);
  });

  test('and whose token was refused right after the connect is asked again in a few minutes', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, RENEWED);
    simulator.fail(RENEWED, 'verify', REFUSAL);
    simulator.fail(RENEWED, 'identity', REFUSAL);
    stage.seen(RENEWED);
    await stage.verifyDue();
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
    await passDay(5 * MINUTE_MS);
    assert.deepEqual(stage.seen(RENEWED), ['verify 401', 'identity 401', 'verify 200']);
  });
});

onOneEngine('a connection that is used', (engine) => {
  const stage = useStage(() => openVerificationStage(engine));
  const simulator = prepare(async () => stage.simulator);
  afterEach(() => stage.removeConnections());

  const expectNextAfterADay = async (provider: string): Promise<void> => {
    stage.seen(provider);
    stage.clock.advance(12 * HOUR_MS);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(provider), []);
    stage.clock.advance(12 * HOUR_MS);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(provider), ['verify 200']);
  };
  const connected = async (provider: string) => {
    const team = await stage.newTeam();
    await stage.connect(team, provider);
    await stage.verifyDue();
    stage.clock.advance(20 * HOUR_MS);
    return team;
  };

  test('through the proxy is not verified within a day of that', async () => {
    const team = await connected(LASTING);
    assert.equal((await stage.call(team, LASTING)).statusCode, 200);
    await stage.app.integrations.close();
    await expectNextAfterADay(LASTING);
  });

  test('by handing out its token is not verified within a day of that, but once a week', async () => {
    const team = await connected(LASTING);
    const handOut = async (): Promise<void> => {
      const reply = await stage.post(`${LASTING}/token`, team.admin.headers);
      assert.equal(reply.statusCode, 200, reply.body);
    };
    await handOut();
    await expectNextAfterADay(LASTING);
    let days = 0;
    for (; stage.seen(LASTING).length === 0 && days < 14; days++) {
      await handOut();
      stage.clock.advance(DAY_MS / 2);
      await handOut();
      stage.clock.advance(DAY_MS / 2);
      await stage.verifyDue();
    }
    assert.ok(days >= 6 && days <= 9, `${days} days`);
  });

  test('is not verified within a day of a refresh', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, HOURLY);
    await stage.verifyDue();
    stage.seen(HOURLY);
    for (let hour = 0; hour < 48; hour++) {
      stage.clock.advance(HOUR_MS - 4 * MINUTE_MS);
      await stage.refreshDue();
      await stage.verifyDue();
    }
    assert.deepEqual(new Set(stage.seen(HOURLY)), new Set(['refresh 200']));
    assert.deepEqual(await stage.standingOf(team, HOURLY), ['connected', null]);
  });

  test('is verified daily nevertheless if the provider refuses tokens with status 200', async () => {
    const team = await connected(FRIENDLY);
    simulator.fail(FRIENDLY, 'verify', { status: 200, answer: { ok: false, error: 'token_revoked' } }, FOREVER);
    assert.equal((await stage.call(team, FRIENDLY)).statusCode, 200);
    await stage.app.integrations.close();
    stage.clock.advance(4 * HOUR_MS);
    await stage.verifyDue();
    assert.deepEqual(await stage.standingOf(team, FRIENDLY), ['needs_reconnect', 'token_refused']);
  });

  test('all the time needs a reconnect within minutes if even its new tokens are refused', async () => {
    const team = await connected(RENEWED);
    simulator.fail(RENEWED, 'verify', REFUSAL, FOREVER);
    stage.seen(RENEWED);
    for (let minute = 0; minute < 6; minute += 2) {
      assert.equal((await stage.call(team, RENEWED)).statusCode, 401);
      await stage.app.integrations.close();
      stage.clock.advance(MINUTE_MS / 2);
      await stage.verifyDue();
      stage.clock.advance(1.5 * MINUTE_MS);
    }
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['needs_reconnect', 'token_refused']);
  });

  test('and refused through the proxy is verified at once, although it was used', async () => {
    const team = await connected(LASTING);
    simulator.withdraw(LASTING);
    assert.equal((await stage.call(team, LASTING)).statusCode, 401);
    await stage.app.integrations.close();
    await stage.verifyDue();
    assert.deepEqual(await stage.standingOf(team, LASTING), ['needs_reconnect', 'token_refused']);
  });
});

onOneEngine('verification that is turned off', (engine) => {
  const stage = useStage(() => openVerificationStage(engine, { env: { PATCHBAY_VERIFY: 'off' } }));

  test('asks nobody about a connection', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, RENEWED);
    stage.seen(RENEWED);
    stage.simulator.withdraw(RENEWED);
    for (let day = 0; day < 2; day++) {
      await stage.verifyDue();
      stage.clock.advance(DAY_MS);
    }
    assert.deepEqual(stage.seen(RENEWED), []);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
  });
});
