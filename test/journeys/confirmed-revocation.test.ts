import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { handlePruneAttempts } from '../../src/integrations/connect/prune-attempts.job.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { HOURLY, LASTING, openVerificationStage, RENEWED, SILENT } from '../harness/verification-stage.ts';

const DAY_MS = 24 * 3_600_000;
const STILL_WORKS = /says that access has ended, but the access token still works/;

onOneEngine('a revocation that the provider answers with success', (engine) => {
  const stage = useStage(() => openVerificationStage(engine));
  const simulator = prepare(async () => stage.simulator);
  afterEach(async () => {
    await stage.removeConnections();
    for (const id of [RENEWED, LASTING, HOURLY, SILENT]) simulator.revokeHonestly(id);
  });

  const connected = async (provider: string) => {
    const team = await stage.newTeam();
    await stage.connect(team, provider);
    stage.seen(provider);
    return team;
  };
  const auditOf = async (headers: Record<string, string>): Promise<string> =>
    (await stage.get('/api/audit?limit=100', headers)).body;

  test('is confirmed by a verification that is refused, and then there is nothing left to do', async () => {
    for (const provider of [RENEWED, LASTING]) {
      const team = await connected(provider);
      assert.equal(await stage.disconnect(team, provider), 'revoked');
      assert.deepEqual(stage.seen(provider), ['revoke 200', 'verify 401']);
    }
    assert.equal(await stage.countRevocations(), 0);
  });

  test('but does nothing is noticed, and repeated until the grant has ended', async () => {
    const team = await connected(RENEWED);
    simulator.pretendToRevoke(RENEWED, 'nothing');
    assert.equal(await stage.disconnect(team, RENEWED), 'failed_will_retry');
    assert.deepEqual(stage.seen(RENEWED), ['revoke 200', 'verify 200']);
    assert.deepEqual(await stage.standingOf(team, RENEWED), ['disconnected', null]);
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS);
      assert.deepEqual(stage.seen(RENEWED), ['verify 200', 'refresh 200', 'revoke 200'], 'The grant lives.');
    }
    simulator.revokeHonestly(RENEWED);
    assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS, 'Nobody has looked yet.');
    stage.seen(RENEWED);
    assert.equal(await stage.retryRevocation(team), null);
    assert.deepEqual(stage.seen(RENEWED), ['verify 401']);
    assert.equal(await stage.countRevocations(), 0);
  });

  test('but does nothing to an access token is noticed, too', async () => {
    const team = await connected(LASTING);
    simulator.pretendToRevoke(LASTING, 'nothing');
    assert.equal(await stage.disconnect(team, LASTING), 'failed_will_retry');
    assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS);
    assert.deepEqual(stage.seen(LASTING), ['revoke 200', 'verify 200', 'verify 200', 'revoke 200']);
    simulator.withdraw(LASTING);
    assert.equal(await stage.retryRevocation(team), null);
    assert.equal(await stage.countRevocations(), 0);
  });

  test('is also noticed to do nothing once the access token has expired, because the grant can be refreshed', async () => {
    const team = await connected(HOURLY);
    simulator.pretendToRevoke(HOURLY, 'nothing');
    assert.equal(await stage.disconnect(team, HOURLY), 'failed_will_retry');
    stage.clock.advance(2 * 3_600_000);
    stage.seen(HOURLY);
    assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS);
    assert.deepEqual(stage.seen(HOURLY), ['refresh 200', 'revoke 200']);
  });

  test('and leaves only the access token working for a while has ended the grant', async () => {
    const team = await connected(RENEWED);
    simulator.pretendToRevoke(RENEWED, 'refresh_only');
    assert.equal(await stage.disconnect(team, RENEWED), 'failed_will_retry', 'It could still be used now.');
    stage.seen(RENEWED);
    assert.equal(await stage.retryRevocation(team), null);
    assert.deepEqual(stage.seen(RENEWED), ['verify 200', 'refresh 400']);
    assert.equal(await stage.countRevocations(), 0);
  });

  test('is believed if the verification has no clear answer, or if the entry has none', async () => {
    for (const fault of ['server_error', 'no_answer', 'html', { status: 403, answer: {} }] as const) {
      const team = await connected(RENEWED);
      simulator.pretendToRevoke(RENEWED, 'nothing');
      simulator.fail(RENEWED, 'verify', fault);
      assert.equal(await stage.disconnect(team, RENEWED), 'revoked', JSON.stringify(fault));
    }
    const team = await connected(SILENT);
    assert.equal(await stage.disconnect(team, SILENT), 'revoked');
    assert.deepEqual(stage.seen(SILENT), ['revoke 200']);
    assert.equal(await stage.countRevocations(), 0);
  });

  test('is not given up for one unclear answer, once it is known to have done nothing', async () => {
    const team = await connected(RENEWED);
    simulator.pretendToRevoke(RENEWED, 'nothing');
    await stage.disconnect(team, RENEWED);
    simulator.fail(RENEWED, 'verify', 'server_error');
    assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS);
    assert.equal(await stage.countRevocations(), 1);
  });

  test('is given up after seven days, and the audit log says so', async () => {
    const team = await connected(RENEWED);
    simulator.pretendToRevoke(RENEWED, 'nothing');
    await stage.disconnect(team, RENEWED);
    stage.clock.advance(7 * DAY_MS);
    stage.seen(RENEWED);
    assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS);
    assert.deepEqual(stage.seen(RENEWED), [], 'The tokens go nowhere anymore.');
    assert.equal(await stage.countRevocations(), 0);
    assert.match(await auditOf(team.admin.headers), /"integration\.not_revoked"/);
  });

  test('is given up after seven days if its job is far from its next attempt, and the audit log says so once', async () => {
    const team = await connected(RENEWED);
    simulator.pretendToRevoke(RENEWED, 'nothing');
    await stage.disconnect(team, RENEWED);
    stage.clock.advance(7 * DAY_MS + 1);
    for (let times = 0; times < 2; times++) await handlePruneAttempts({ ...stage.app, clock: stage.clock })();
    assert.equal(await stage.countRevocations(), 0);
    assert.equal((await auditOf(team.admin.headers)).split('"integration.not_revoked"').length - 1, 1);
  });

  test('leaves a grant alone that was connected again in the meantime', async () => {
    const team = await stage.newTeam();
    await stage.connect(team, RENEWED, {}, { account: 'ada' });
    simulator.pretendToRevoke(RENEWED, 'nothing');
    assert.equal(await stage.disconnect(team, RENEWED), 'failed_will_retry');
    await stage.connect(team, RENEWED, {}, { account: 'ada' });
    stage.seen(RENEWED);
    assert.equal(await stage.retryRevocation(team), null);
    assert.deepEqual(stage.seen(RENEWED), []);
  });

  test('is confirmed for a replaced account as well, without anyone waiting for it', async () => {
    const team = await connected(RENEWED);
    simulator.pretendToRevoke(RENEWED, 'nothing');
    await stage.connect(team, RENEWED, { replace: true });
    assert.match((await stage.retryRevocation(team)) ?? '', STILL_WORKS);
    simulator.revokeHonestly(RENEWED);
    await stage.retryRevocation(team);
    assert.equal(await stage.retryRevocation(team), null);
    assert.equal((await stage.call(team, RENEWED)).statusCode, 200, 'The new account works.');
  });
});
