// Attack: an admin adds and removes numbers, accounts and secrets, again and again. Their rows must not stay forever, and
// no start may read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queries } from '../../src/platform/index.ts';
import { createSwitchboard } from '../../src/telephony/accounts/switchboard.ts';
import { pruneRemoved } from '../../src/telephony/erasure/prune-removed.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import {
  AUTH_TOKEN,
  createPhoneLine,
  newAccountSid,
  newCallSid,
  OUR_NUMBER,
  openTelephonyStage,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

onEachEngine('numbers, accounts and secrets that were removed', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  type Team = Awaited<ReturnType<typeof stage.newTeam>>;
  const ask = async ({ admin }: Team, method: 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) => {
    const url = `/api/telephony/${path}`;
    const answer = await stage.server.inject({ method, url, headers: admin.headers, ...(payload && { payload }) });
    assert.ok(answer.statusCode < 300, answer.body);
    return answer.body === '' ? null : answer.json();
  };
  const addRemovedNumber = async (team: Team): Promise<void> => {
    const { id } = await ask(team, 'POST', 'numbers', { number: '+15551230042', account: team.account.id });
    await ask(team, 'DELETE', `numbers/${id}`);
  };
  const addRemovedAccount = async (team: Team): Promise<string> => {
    const wish = { provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] };
    const { id } = await ask(team, 'POST', 'accounts', wish);
    await ask(team, 'DELETE', `accounts/${id}`);
    return id;
  };
  const prune = () => pruneRemoved(stage.app, stage.clock.now(), new AbortController().signal);
  const listIds = async (table: string, { team }: Team): Promise<string[]> => {
    const rows = await stage.app.database.all<{ id: string }>(`select id from ${table} where team_id = $1`, [team.id]);
    return rows.map(({ id }) => id);
  };
  const pass = (ms: number): Promise<unknown> => {
    stage.clock.advance(ms);
    return stage.app.telephony.settle();
  };

  test('are not read at the start', async () => {
    const team = await stage.newTeam();
    for (let count = 0; count < 5; count++) {
      await addRemovedNumber(team);
      await addRemovedAccount(team);
    }
    const { database } = stage.app;
    const removed: unknown[] = [];
    const all: Queries['all'] = async <Row extends object>(...statement: Parameters<Queries['all']>) => {
      const rows = await database.all<Row>(...statement);
      removed.push(...rows.filter((row) => 'removedAt' in row && row.removedAt !== null));
      return rows;
    };
    const switchboard = createSwitchboard({ ...stage.app, database: { ...database, all } });
    await switchboard.refresh();
    assert.equal(switchboard.findCandidates('twilio', team.account.id, null).length, 1);
    assert.deepEqual(removed, []);
    await addRemovedNumber(team);
    await switchboard.refresh();
    assert.equal(removed.length, 1);
  });

  test('are deleted after a week, except accounts through which something came', async () => {
    const team = await stage.newTeam();
    await addRemovedNumber(team);
    await addRemovedAccount(team);
    const used = await stage.newTeam();
    await used.line.rings(newCallSid());
    await stage.app.telephony.settle();
    await ask(used, 'DELETE', `accounts/${used.account.id}`);
    await pass(WEEK_MS - 1);
    await prune();
    assert.equal((await listIds('telephony_numbers', team)).length, 2);
    assert.equal((await listIds('telephony_accounts', team)).length, 2);
    await pass(2);
    await prune();
    assert.deepEqual(await listIds('telephony_numbers', team), [team.number.id]);
    assert.deepEqual(await listIds('telephony_accounts', team), [team.account.id]);
    assert.deepEqual(await listIds('telephony_numbers', used), []);
    assert.deepEqual(await listIds('telephony_accounts', used), [used.account.id]);
    assert.equal((await used.calls()).length, 1);
  });

  if (engine === 'sqlite')
    test('are deleted however many were removed at the same moment', async () => {
      const team = await stage.newTeam();
      await addRemovedNumber(team);
      await addRemovedAccount(team);
      const copy = (table: string, columns: string) =>
        stage.app.database.run(
          `insert into ${table} (id, change, ${columns})
            with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 200)
            select id || n, -n, ${columns} from ${table}, counted where team_id = $1 and removed_at is not null`,
          [team.team.id],
        );
      const shared = 'team_id, created_at, removed_at';
      await copy('telephony_numbers', `account_id, number_hash, number, answer, ${shared}`);
      await copy('telephony_accounts', `provider, secrets, mode, removes_archived, ${shared}`);
      await pass(WEEK_MS + 1);
      await prune();
      assert.deepEqual(await listIds('telephony_numbers', team), [team.number.id]);
      assert.deepEqual(await listIds('telephony_accounts', team), [team.account.id]);
    });

  test('stay while a delivery from before still waits', async () => {
    const team = await stage.newTeam();
    const { database } = stage.app;
    await team.line.rings(newCallSid());
    await stage.app.telephony.settle();
    const again = 'update deliveries set state = $2, call_key = null where team_id = $1';
    await database.run(again, [team.team.id, 'received']);
    await database.run('delete from call_events where team_id = $1', [team.team.id]);
    await database.run('delete from calls where team_id = $1', [team.team.id]);
    await ask(team, 'DELETE', `accounts/${team.account.id}`);
    stage.clock.advance(WEEK_MS + 1);
    await prune();
    assert.deepEqual(await listIds('telephony_accounts', team), [team.account.id]);
    await database.run('delete from deliveries where team_id = $1', [team.team.id]);
    await prune();
    assert.deepEqual(await listIds('telephony_accounts', team), []);
  });

  for (const when of ['after their rows are gone', 'while their rows are deleted'] as const)
    test(`are forgotten by a process that looks again only ${when}`, async () => {
      const team = await stage.newTeam();
      const other = await ask(team, 'POST', 'accounts', {
        provider: 'twilio',
        accountId: newAccountSid(),
        secrets: [AUTH_TOKEN],
      });
      // More than are looked up at once.
      for (let count = 0; engine === 'sqlite' && count < 100; count++)
        await ask(team, 'POST', 'numbers', { number: `+1555200${1_000 + count}`, account: team.account.id });
      const switchboard = createSwitchboard(stage.app);
      await switchboard.refresh();
      const find = (id: string) => switchboard.findCandidates('twilio', id, null)[0];
      const account = find(team.account.id);
      assert.ok(account && find(other.id));
      const findLine = () => switchboard.findLine(account, team.number.id, { kind: 'number', value: OUR_NUMBER });
      assert.ok(findLine());
      await ask(team, 'DELETE', `numbers/${team.number.id}`);
      await ask(team, 'DELETE', `accounts/${other.id}`);
      const held =
        when === 'while their rows are deleted'
          ? holdAnswer(stage.app.database, 'get', 'from telephony_changes')
          : null;
      const refreshing = held && switchboard.refresh();
      await held?.answered;
      await pass(WEEK_MS + 1);
      await prune();
      held?.release();
      await (refreshing ?? switchboard.refresh());
      assert.deepEqual([findLine(), find(other.id)], [undefined, undefined]);
      assert.ok(find(team.account.id));
    });

  test('leave no uses of their secrets', async () => {
    const team = await stage.newTeam();
    const { id } = team.account;
    const countUses = async () =>
      (await stage.app.database.all('select secret_id from telephony_secret_uses where account_id = $1', [id])).length;
    const useNewSecret = async (secret: string) => {
      await ask(team, 'PATCH', `accounts/${id}`, { secrets: [secret] });
      const line = createPhoneLine(stage.server, team.account, secret);
      assert.equal((await line.rings(newCallSid())).statusCode, 200);
      await stage.app.telephony.settle();
    };
    for (let count = 0; count < 4; count++) await useNewSecret(`secret-number-${count}-of-the-tests`);
    assert.equal(await countUses(), 1);
    await ask(team, 'DELETE', `accounts/${id}`);
    assert.equal(await countUses(), 0);
  });
});
