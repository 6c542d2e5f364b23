// Attack: verification. It asks providers about credentials without anyone asking for it, so it must not reach further,
// more often, or later than it should, whatever the provider answers, and whatever happens meanwhile.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { inspect } from 'node:util';
import { buildApp } from '../../src/app.ts';
import { getConnection } from '../../src/integrations/connections/connection-store.ts';
import { createTestLog } from '../harness/app.ts';
import { findCanaries } from '../harness/canaries.ts';
import type { Team } from '../harness/connect-flow.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { LASTING, openVerificationStage, RENEWED } from '../harness/verification-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const DAY_MS = 24 * 3_600_000;
const REFUSAL = { status: 401, answer: { error: 'invalid_token' } };

onEachEngine('a verification', (engine) => {
  const stage = useStage(() => openVerificationStage(engine));
  const simulator = prepare(async () => stage.simulator);
  afterEach(() => stage.removeConnections());

  const verified = async (provider: string): Promise<Team> => {
    const team = await stage.newTeam();
    await stage.connect(team, provider);
    await stage.verifyDue();
    stage.seen(provider);
    return team;
  };
  /** The provider has got a verification, and answers it when told to. */
  const holdVerification = (provider: string) => {
    const answer = Promise.withResolvers<void>();
    simulator.fail(provider, 'verify', { until: answer.promise });
    const arrived = () =>
      waitUntil('it was asked', async () => simulator.requestsOf(provider, 'verify').length === 1, 10_000);
    return { arrived, release: () => answer.resolve() };
  };
  const rowOf = ({ team }: Team, provider: string) =>
    getConnection(stage.app.database, { teamId: team.id, provider, name: 'default' });

  test("sends each team's own token, and ends only the connection that it is about", async () => {
    const one = await verified(LASTING);
    const { accessToken: first } = simulator.issued(LASTING);
    simulator.withdraw(LASTING);
    const other = await verified(LASTING);
    const { accessToken: second } = simulator.issued(LASTING);
    stage.clock.advance(DAY_MS);
    await stage.verifyDue();
    const sent = simulator.requestsOf(LASTING, 'verify').map(({ accessToken, status }) => [accessToken, status]);
    assert.deepEqual(
      sent.toSorted(),
      [
        [first, 401],
        [second, 200],
      ].toSorted(),
    );
    assert.deepEqual(await stage.standingOf(one, LASTING), ['needs_reconnect', 'token_refused']);
    assert.deepEqual(await stage.standingOf(other, LASTING), ['connected', null]);
  });

  test('that refuses many connections at once ends only a few of them, and none for long', async () => {
    const teams: Team[] = [];
    for (let index = 0; index < 14; index++) {
      const team = await stage.newTeam();
      await stage.connect(team, LASTING);
      teams.push(team);
    }
    await stage.verifyDue();
    simulator.fail(LASTING, 'verify', REFUSAL, { times: 1_000 });
    stage.clock.advance(DAY_MS);
    await stage.verifyDue();
    const countEnded = async (): Promise<number> => {
      const rows = await Promise.all(teams.map((team) => rowOf(team, LASTING)));
      return rows.filter((row) => row?.status === 'needs_reconnect').length;
    };
    assert.equal(await countEnded(), 10);
    simulator.mend();
    stage.clock.advance(DAY_MS / 12);
    await stage.verifyDue();
    assert.equal(await countEnded(), 0);
    simulator.withdraw(LASTING);
    stage.clock.advance(DAY_MS);
    await stage.verifyDue();
    assert.ok((await countEnded()) > 0, 'After one was accepted, the next refusal is believed.');
  });

  test('is not sent after a disconnect', async () => {
    const team = await verified(LASTING);
    await stage.disconnect(team, LASTING);
    stage.seen(LASTING);
    stage.clock.advance(DAY_MS);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(LASTING), []);
  });

  test('whose verdict comes after a disconnect or a reconnect changes nothing', async () => {
    for (const reconnects of [false, true]) {
      const team = await verified(LASTING);
      simulator.withdraw(LASTING);
      const held = holdVerification(LASTING);
      stage.clock.advance(DAY_MS);
      const verifying = stage.verifyDue();
      await held.arrived();
      if (reconnects) await stage.connect(team, LASTING, { replace: true });
      else await stage.disconnect(team, LASTING);
      const before = await rowOf(team, LASTING);
      held.release();
      await verifying;
      assert.deepEqual(await rowOf(team, LASTING), before);
      assert.deepEqual(await stage.standingOf(team, LASTING), [reconnects ? 'connected' : 'disconnected', null]);
      await stage.removeConnections();
    }
  });

  test('that is refused does not renew a token that another process has renewed since', async () => {
    const team = await verified(RENEWED);
    simulator.endAccess(RENEWED);
    const held = holdVerification(RENEWED);
    stage.clock.advance(DAY_MS);
    const verifying = stage.verifyDue();
    await held.arrived();
    await stage.call(team, RENEWED);
    held.release();
    await verifying;
    assert.equal(simulator.requestsOf(RENEWED, 'refresh').length, 1);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['connected', null]);
  });

  test('is not sent while the service is paused, and is afterward', async () => {
    const { database, pause } = stage.app;
    const team = await verified(LASTING);
    stage.clock.advance(DAY_MS);
    await database.transaction((tx) => pause.set(tx, { at: stage.clock.now(), reason: 'A test.' }));
    await waitUntil('the service notices', async () => (await pause.read()) !== null, 5_000);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(LASTING), []);
    await database.transaction((tx) => pause.set(tx, null));
    await waitUntil('the service notices', async () => (await pause.read()) === null, 5_000);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(LASTING), ['verify 200']);
    assert.deepEqual(await stage.standingOf(team, LASTING), ['connected', null]);
  });

  test('is sent by one of two processes', async () => {
    const other = buildApp(stage.stage.config, {
      ...{ clock: stage.clock, outbound: simulator.outbound, log: createTestLog().log, threads: false },
    });
    try {
      const count = 20;
      for (let index = 0; index < count; index++) await stage.connect(await stage.newTeam(), LASTING);
      stage.seen(LASTING);
      await Promise.all([stage.verifyDue(), other.integrations.verifyDue()]);
      const sent = simulator.requestsOf(LASTING, 'verify').map(({ accessToken }) => accessToken);
      assert.deepEqual([sent.length, new Set(sent).size], [count, count]);
    } finally {
      await other.close();
    }
  });

  test('is repeated by another process if the first one dies, after a while', async () => {
    const team = await verified(LASTING);
    stage.clock.advance(DAY_MS);
    const row = await rowOf(team, LASTING);
    await stage.app.database.run('update connections set verify_due_at = $2 where id = $1', [
      ...[row?.id ?? '', stage.clock.now() + 120_000],
    ]);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(LASTING), []);
    stage.clock.advance(120_000);
    await stage.verifyDue();
    assert.deepEqual(stage.seen(LASTING), ['verify 200']);
  });

  test('that is never answered holds up no other provider', async () => {
    const slow = await verified(LASTING);
    const quick = await verified(RENEWED);
    simulator.withdraw(RENEWED);
    const held = holdVerification(LASTING);
    stage.clock.advance(DAY_MS);
    const verifying = stage.verifyDue();
    await held.arrived();
    await waitUntil(
      'the other is done',
      async () => (await rowOf(quick, RENEWED))?.status === 'needs_reconnect',
      10_000,
    );
    held.release();
    await verifying;
    assert.deepEqual(await stage.standingOf(slow, LASTING), ['connected', null]);
  });

  test('of a team that is being erased is not sent, and one in progress schedules no other', async () => {
    const { begin } = createTestErasure({ app: stage.app, clock: stage.clock });
    const [asked, waiting] = [await verified(LASTING), await verified(RENEWED)];
    const held = holdVerification(LASTING);
    stage.clock.advance(DAY_MS);
    await begin(waiting.team.id);
    const verifying = stage.verifyDue();
    await held.arrived();
    await begin(asked.team.id);
    held.release();
    await verifying;
    assert.deepEqual(simulator.requestsOf(RENEWED, 'verify'), []);
    for (const [team, provider] of [
      [asked, LASTING],
      [waiting, RENEWED],
    ] as const)
      assert.equal((await rowOf(team, provider))?.verifyDueAt ?? null, null);
  });

  test('leaves no token in the log, events, jobs, or status', async () => {
    const team = await verified(LASTING);
    const { accessToken = '' } = simulator.issued(LASTING);
    const faults = [REFUSAL, 'no_answer', { status: 500, answer: `Bearer ${accessToken}` }, 'huge_body'] as const;
    for (const fault of faults) {
      simulator.fail(LASTING, 'verify', fault);
      stage.clock.advance(DAY_MS);
      await stage.verifyDue();
    }
    const { database } = stage.app;
    const shown = {
      log: inspect(stage.lines, { depth: 20 }),
      rows: JSON.stringify(await database.all('select * from connections', [])),
      jobs: JSON.stringify(await database.all('select * from jobs', [])),
      events: (await stage.get('/api/events?limit=100', team.admin.headers)).body,
      status: JSON.stringify(await stage.statusOf(team, LASTING)),
    };
    assert.deepEqual(findCanaries({ token: accessToken ?? '' }, shown), []);
  });
});

onOneEngine('a provider that answers a verification with a redirect', (engine) => {
  const verify = { method: 'GET', path: '/me' };
  const stage = useStage(() => openProxyStage(engine, { verify }));

  test('is not followed, neither to its own host nor to another one', async () => {
    const { at, team } = await stage.connected();
    const { port } = new URL(stage.api.url);
    for (const location of [`${stage.api.url}/v1/elsewhere`, `http://localhost:${port}/v1/me`]) {
      stage.api.received.length = 0;
      stage.api.answer(async (incoming, response) => {
        await stage.api.note(incoming);
        response.writeHead(307, { location }).end();
      });
      await stage.app.database.run('update connections set verify_due_at = $2 where team_id = $1', [
        ...[team.id, stage.clock.now()],
      ]);
      await stage.app.integrations.verifyDue();
      assert.deepEqual(
        stage.api.received.map(({ url }) => url),
        ['/v1/me'],
      );
    }
    assert.equal((await at.status('acme-full')).status, 'connected');
  });
});
