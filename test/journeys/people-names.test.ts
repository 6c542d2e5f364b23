import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { HUB, openPeopleStage, PIPE } from '../harness/people-stage.ts';
import { CALLER, newCallSid } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const DAY_MS = 24 * 3_600_000;

onEachEngine('calls with the names of callers', (engine) => {
  const stage = useStage(() => openPeopleStage(engine));

  beforeEach(async () => {
    stage.crm.mend();
    stage.crm.forget();
    // What earlier tests have turned on is over.
    for (const table of ['connection_people', 'call_people', 'call_logs'])
      await stage.app.database.run(`delete from ${table}`);
  });

  const settle = async (): Promise<void> => {
    await stage.app.telephony.settle();
    await stage.app.telephony.crms.settle();
  };
  type Connected = Awaited<ReturnType<typeof stage.connected>>;
  const ring = async (team: Connected, from = CALLER): Promise<void> => {
    assert.equal((await team.line.rings(newCallSid(), { From: from })).statusCode, 200);
    await settle();
  };
  const personsOf = async (team: Connected) =>
    (await team.calls()).map(({ person }: { person: object | null }) => person);

  test('have the contact on the list, the page, and in files', async () => {
    stage.crm.addContact('hub', { name: 'Jane Doe', phone: '(555) 123-0001' });
    const team = await stage.connected(HUB, { lookup: true });
    await ring(team);
    const [call] = await team.calls();
    assert.deepEqual([call.person.name, call.person.provider], ['Jane Doe', HUB]);
    assert.match(call.person.url, /^https:\/\/app\.hubspot\.com\/contacts\/4711\/record\/0-1\/\d+$/);
    const one = (await team.get(`/api/calls/${call.id}`)).json();
    assert.deepEqual(one.person, call.person);
    const csv = await team.get('/api/calls', { ...team.member.headers, accept: 'text/csv' } as never);
    assert.match(csv.body, /,Jane Doe,https:\/\/app\.hubspot\.com\/contacts\/4711/);
    const { events } = (await team.get('/api/events?limit=100')).json();
    assert.ok(events.some(({ type }: { type: string }) => type === 'call.started'));
    assert.ok(!JSON.stringify(events).includes('Jane Doe'));
  });

  test('are looked up once for many calls at once, and again after a day', async () => {
    stage.crm.addContact('hub', { name: 'Jane Doe', phone: CALLER });
    const team = await stage.connected(HUB, { lookup: true });
    await Promise.all(Array.from({ length: 30 }, () => team.line.rings(newCallSid())));
    await settle();
    assert.equal(stage.crm.lookups(), 1);
    assert.ok((await personsOf(team)).every((person: { name: string } | null) => person?.name === 'Jane Doe'));
    await ring(team);
    assert.equal(stage.crm.lookups(), 1);
    stage.crm.forget();
    stage.crm.addContact('hub', { name: 'Jane Roe', phone: CALLER });
    stage.clock.advance(DAY_MS);
    await ring(team);
    assert.equal(stage.crm.lookups(), 1);
    assert.equal((await personsOf(team))[0].name, 'Jane Roe');
  });

  test('have no name if there are two contacts, or none', async () => {
    const team = await stage.connected(PIPE, { lookup: true });
    stage.crm.addContact('pipe', { name: 'Jane Doe', phone: CALLER });
    stage.crm.addContact('pipe', { name: 'John Doe', phone: CALLER });
    await ring(team);
    await ring(team, '+15551230042');
    assert.deepEqual(await personsOf(team), [null, null]);
    const { lastSeveralAt, lastNoMatchAt } = await team.people();
    assert.ok(lastSeveralAt && lastNoMatchAt);
  });

  test('are named later if the CRM is busy or away, and nothing waits for it', async () => {
    const team = await stage.connected(HUB, { lookup: true });
    stage.crm.addContact('hub', { name: 'Jane Doe', phone: CALLER });
    stage.crm.intervene(() => ({ status: 429, content: {}, headers: { 'retry-after': '120' } }));
    await ring(team);
    assert.deepEqual(await personsOf(team), [null]);
    stage.crm.mend();
    await settle();
    assert.deepEqual(await personsOf(team), [null]);
    stage.clock.advance(121_000);
    await settle();
    assert.equal((await personsOf(team))[0].name, 'Jane Doe');
  });

  test('from before it was turned on are left alone, and those of other teams', async () => {
    stage.crm.addContact('hub', { name: 'Jane Doe', phone: CALLER });
    const team = await stage.connected(HUB);
    const other = await stage.connected(HUB);
    await ring(team);
    stage.clock.advance(1_000);
    await team.choose({ lookup: true });
    await ring(other);
    assert.equal(stage.crm.lookups(), 0);
    assert.deepEqual(await personsOf(other), [null]);
  });

  test('reach the live list at once', async () => {
    stage.crm.addContact('hub', { name: 'Jane Doe', phone: CALLER });
    const team = await stage.connected(HUB, { lookup: true });
    const told: (string | null)[] = [];
    const stop = stage.app.telephony.calls.watch(team.team.id, 0, (calls) => {
      for (const { person } of calls) told.push(person?.name ?? null);
    });
    try {
      await ring(team);
      await waitUntil('the name is told', () => told.includes('Jane Doe'));
    } finally {
      stop();
    }
  });

  test('lose the name when lookups are turned off, and when the connection ends', async () => {
    stage.crm.addContact('hub', { name: 'Jane Doe', phone: CALLER });
    stage.app.jobs.start();
    for (const end of ['off', 'gone'] as const) {
      const team = await stage.connected(HUB, { lookup: true });
      await ring(team);
      assert.equal((await personsOf(team))[0].name, 'Jane Doe');
      if (end === 'off') await team.choose({ lookup: false });
      else await stage.send('POST', `/api/integrations/${HUB}/disconnect`, team.admin.headers);
      await waitUntil('the names are erased', async () => (await personsOf(team))[0] === null);
      const rows = await stage.app.database.all(
        'select 1 as one from call_people where team_id = $1 and person is not null',
        [team.team.id],
      );
      assert.deepEqual(rows, []);
    }
  });
});
