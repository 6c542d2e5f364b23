// Attack: an account with very many numbers is removed. With a statement for each of them, the transaction would keep the
// row that orders all changes, and everybody who waits for it keeps one of PostgreSQL's few connections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSwitchboard } from '../../src/telephony/accounts/switchboard.ts';
import { onEachEngine } from '../harness/databases.ts';
import { OUR_NUMBER, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { watchStatements } from '../harness/watch-statements.ts';

const MANY = 300;

onEachEngine('an account with many numbers', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const addNumbers = async (account: { id: string }, like: { id: string }): Promise<void> => {
    const rows = Array.from({ length: MANY }, (_, index) => [`${account.id} ${index}`, index + 1]);
    await stage.app.database.transaction(async (tx) => {
      await tx.runFrom(
        { columns: { id: 'text', n: 'bigint' }, rows },
        `insert into telephony_numbers (id, team_id, account_id, number_hash, number, label, answer, change, created_at)
          select rows.id, team_id, account_id, rows.id, number, label, answer, latest + rows.n, created_at
          from rows, telephony_numbers like_it, telephony_changes where like_it.id = '${like.id}'`,
      );
      await tx.run('update telephony_changes set latest = latest + $1', [MANY]);
    });
  };

  test('is removed in a few statements, with all its numbers', async () => {
    const { app, server } = stage;
    const { account, number, admin, team } = await stage.newTeam();
    await addNumbers(account, number);
    const statements = watchStatements(app.database);
    const url = `/api/telephony/accounts/${account.id}`;
    const removed = await server.inject({ method: 'DELETE', url, headers: admin.headers });
    statements.stop();
    assert.equal(removed.statusCode, 204);
    assert.ok(statements.mostInOneTransaction() <= 10, `${statements.mostInOneTransaction()}`);
    const left = await app.database.all(
      `select id from telephony_numbers where team_id = $1
        and (removed_at is null or number <> '' or number_hash <> '' or label is not null or answer <> '')`,
      [team.id],
    );
    assert.deepEqual(left, []);
  });

  test('doesn’t hide the numbers that were added after its own from a process that starts', async () => {
    const { account, number } = await stage.newTeam();
    await addNumbers(account, number);
    const later = await stage.newTeam();
    const switchboard = createSwitchboard(stage.app);
    await switchboard.refresh();
    const [known] = switchboard.findCandidates('twilio', later.account.id, null);
    assert.ok(known);
    const line = switchboard.findLine(known, later.number.id, { kind: 'number', value: OUR_NUMBER });
    assert.equal(line?.id, later.number.id);
  });

  test('is gone with its numbers in other processes, too', async () => {
    const { account, number, admin } = await stage.newTeam();
    const switchboard = createSwitchboard(stage.app);
    await switchboard.refresh();
    const [known] = switchboard.findCandidates('twilio', account.id, null);
    assert.ok(known);
    const findLine = () => switchboard.findLine(known, number.id, { kind: 'number', value: OUR_NUMBER });
    assert.equal(findLine()?.id, number.id);
    const url = `/api/telephony/accounts/${account.id}`;
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode, 204);
    await switchboard.refresh();
    assert.deepEqual([switchboard.findCandidates('twilio', account.id, null), findLine()], [[], undefined]);
  });
});
