import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, DatabaseUnavailable } from '../../src/platform/index.ts';
import { createSwitchboard } from '../../src/telephony/accounts/switchboard.ts';
import { createTestLog } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { openLine, send, senderOf } from '../harness/telephony-senders.ts';
import { OUR_NUMBER, openTelephonyStage, PATIENT } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a process that lost the database for a moment', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /** A separate switchboard whose first query in one place fails as if the connection broke. */
  const openSwitchboard = (fails: 'opening' | 'reading') => {
    const { database, vault } = stage.app;
    let hasFailed = false;
    const failOnce = (): void => {
      if (hasFailed) return;
      hasFailed = true;
      throw new DatabaseUnavailable('The connection was lost.');
    };
    const get: Database['get'] = async (sql, values) => {
      if (fails === 'reading' && /\bteams\b/.test(sql)) failOnce();
      return database.get(sql, values);
    };
    const open: typeof vault.open = async (...place) => {
      if (fails === 'opening') failOnce();
      return vault.open(...place);
    };
    return createSwitchboard({
      database: { ...database, get },
      vault: { ...vault, open },
      clock: stage.clock,
      log: createTestLog().log,
      ...PATIENT,
    });
  };

  for (const fails of ['opening', 'reading'] as const)
    test(`while ${fails} what is set up knows everything as soon as the database is back`, async () => {
      const line = await openLine(stage, senderOf('twilio'));
      const switchboard = openSwitchboard(fails);
      await assert.rejects(async () => switchboard.catchUp(), { code: 'telephony.not_ready' });
      stage.clock.advance(1_000);
      await switchboard.catchUp();
      const all = await stage.app.database.all<{ id: string }>('select id from telephony_accounts');
      for (const { id } of all) {
        const [account] = switchboard.findCandidates('twilio', id, null);
        assert.ok(account, 'The account is known.');
        assert.ok(switchboard.findLine(account, null, { kind: 'number', value: OUR_NUMBER }), 'Its number is known.');
      }
      assert.ok(all.some(({ id }) => id === line.account.id));
    });
});

describe('a process that has just started with a slow database', () => {
  test('does not take an honest delivery for a forged one, which would never be sent again', async (context) => {
    const stage = await openTelephonyStage('postgresql');
    context.after(() => stage.close());
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const other = await stage.openOther({});
    context.after(() => other.close());
    const sent = line.honest(sender.ends(line.accountId, sender.newCallId()));
    const answer = await stage.app.database.transaction(async (tx) => {
      await tx.run('lock table telephony_changes, telephony_accounts in access exclusive mode');
      return toAnswer(await send(other, sent));
    });
    assert.notEqual(answer.status, 403, 'It was not looked at: who sent it is not known yet.');
    if (answer.status !== 204) expectProblem(answer, 503, 'a delivery that comes too early');
    await other.app.telephony.context.switchboard.refresh();
    assert.equal((await send(other, sent)).statusCode, 204, 'Later it is taken.');
    await other.app.telephony.settle();
    assert.deepEqual(await line.count(), { deliveries: 1, calls: 1, recordings: 0, held: 0 });
  });
});
