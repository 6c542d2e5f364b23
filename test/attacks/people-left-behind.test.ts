import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { HUB, openPeopleStage } from '../harness/people-stage.ts';
import { CALLER, newCallSid } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const NAME = 'Xanthippe Quillfeather';

onEachEngine('what is left of the names of callers', (engine) => {
  const stage = useStage(() => openPeopleStage(engine));

  const settle = async (): Promise<void> => {
    await stage.app.telephony.settle();
    await stage.app.telephony.crms.settle();
  };

  /** Every value of every row of telephony, events, alerts, and requests. */
  const readRows = async (teamId: string): Promise<string> => {
    const tables = ['call_people', 'call_logs', 'events', 'calls', 'jobs', 'audit_log', 'request_groups'];
    const rows = await Promise.all(
      tables.map((table) => stage.app.database.all(`select * from ${table}`).catch(() => [])),
    );
    return `${teamId} ${JSON.stringify(rows)}`;
  };

  /** Which files of the data directory, with the database of SQLite and its log, contain the name as plain text. */
  const findInFiles = (): string[] =>
    globSync(join(stage.config.data, '**/*'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(NAME));

  test('is nothing after the number is erased, and never plain text before', async () => {
    stage.crm.addContact('hub', { name: NAME, phone: CALLER });
    const team = await stage.connected(HUB, { lookup: true, log: true });
    const sid = newCallSid();
    await team.line.rings(sid);
    await settle();
    await team.line.status(sid, 'completed');
    await settle();
    assert.equal((await team.calls())[0].person.name, NAME);
    assert.ok(!(await readRows(team.team.id)).includes(NAME));
    assert.deepEqual(findInFiles(), []);
    const erased = await stage.send('POST', '/api/telephony/erase', team.admin.headers, { number: CALLER });
    assert.equal(erased.status, 200, erased.body);
    for (const table of ['call_people', 'call_logs'])
      assert.deepEqual(await stage.app.database.all(`select * from ${table} where team_id = $1`, [team.team.id]), []);
    await settle();
    assert.deepEqual(await stage.app.database.all('select * from call_people where team_id = $1', [team.team.id]), []);
  });

  test("is nothing if the number is erased while it's looked up", async () => {
    stage.crm.forget();
    stage.crm.addContact('hub', { name: NAME, phone: CALLER });
    const team = await stage.connected(HUB, { lookup: true });
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    stage.crm.intervene(async ({ path }) => {
      if (!path.endsWith('/contacts/search')) return null;
      asked.resolve();
      await goOn.promise;
      return null;
    });
    await team.line.rings(newCallSid());
    await stage.app.telephony.settle();
    const settling = stage.app.telephony.crms.settle();
    await asked.promise;
    await stage.send('POST', '/api/telephony/erase', team.admin.headers, { number: CALLER });
    goOn.resolve();
    await settling;
    stage.crm.mend();
    assert.deepEqual(await stage.app.database.all('select * from call_people where team_id = $1', [team.team.id]), []);
  });

  test("is nothing if the connection is removed while it's used", async () => {
    stage.crm.forget();
    stage.crm.addContact('hub', { name: NAME, phone: CALLER });
    const team = await stage.connected(HUB, { lookup: true });
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    stage.crm.intervene(async ({ path }) => {
      if (!path.endsWith('/contacts/search')) return null;
      asked.resolve();
      await goOn.promise;
      return null;
    });
    await team.line.rings(newCallSid());
    await stage.app.telephony.settle();
    const settling = stage.app.telephony.crms.settle();
    await asked.promise;
    const gone = await stage.send('POST', `/api/integrations/${HUB}/disconnect`, team.admin.headers);
    assert.equal(gone.status, 200);
    goOn.resolve();
    await settling;
    stage.crm.mend();
    assert.equal((await team.calls())[0].person, null);
  });

  test("is nothing of another team's", async () => {
    stage.crm.forget();
    stage.crm.addContact('hub', { name: NAME, phone: CALLER });
    const team = await stage.connected(HUB, { lookup: true });
    const other = await stage.newTeam();
    await team.line.rings(newCallSid());
    await other.line.rings(newCallSid());
    await settle();
    assert.equal((await team.calls())[0].person.name, NAME);
    assert.equal((await other.calls())[0].person, null);
  });
});
