import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { CrmEntry } from '../harness/crm-server.ts';
import { onEachEngine } from '../harness/databases.ts';
import { HUB, openPeopleStage, PIPE } from '../harness/people-stage.ts';
import { CALLER, newCallSid } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const SETTLED_MS = 121_000;

onEachEngine('logging calls in a CRM', (engine) => {
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

  /** A call that nobody answers. */
  const missCall = async ({ line }: Connected, from = CALLER): Promise<void> => {
    const sid = newCallSid();
    stage.clock.advance(1_000);
    await line.rings(sid, { From: from });
    await line.dialed(sid, 'no-answer', { From: from });
    await line.status(sid, 'completed', { From: from });
    await stage.app.telephony.settle();
  };
  const idOf = ({ fields }: CrmEntry): string =>
    String(fields['hs_call_external_id'] ?? /Logged by Patchbay as ([\w-]+)/.exec(String(fields['note']))?.[1]);
  const callIdsOf = async (team: Connected): Promise<string[]> =>
    (await team.calls()).map(({ id }: { id: string }) => id).reverse();
  const listOf = async (team: Connected, provider = HUB) =>
    (await stage.send('GET', `/api/integrations/${provider}/people/calls`, team.member.headers)).read();
  const isCreate = ({ method, path }: { method: string; path: string }): boolean =>
    method === 'POST' && /\/(?:calls|activities)$/.test(path);

  for (const [provider, kind] of [
    [HUB, 'hub'],
    [PIPE, 'pipe'],
  ] as const)
    test(`makes one entry of a call in ${provider}, with its outcome, its page, and its contact`, async () => {
      stage.crm.addContact(kind, { name: 'Jane Doe', phone: CALLER });
      const team = await stage.connected(provider, { log: true });
      await missCall(team);
      await settle();
      await settle();
      const [entry, ...others] = stage.crm.entries[kind];
      assert.ok(entry);
      assert.deepEqual(others, []);
      const [id] = await callIdsOf(team);
      assert.equal(idOf(entry), id);
      const text = JSON.stringify(entry.fields);
      assert.match(text, /Missed call from \(555\) 123-0001/);
      assert.match(text, new RegExp(`/calls/${id}`));
      assert.ok(entry.associations);
      if (kind === 'hub') assert.equal(entry.fields['hs_call_status'], 'NO_ANSWER');
      assert.deepEqual((await listOf(team, provider)).counts, { waiting: 0, logged: 1, refused: 0, unclear: 0 });
    });

  test('leaves out calls from before, and simulated calls', async () => {
    const team = await stage.connected(HUB);
    await missCall(team);
    stage.clock.advance(1_000);
    await team.choose({ log: true });
    await settle();
    assert.equal(stage.crm.entries.hub.length, 0);
    await stage.app.database.run('update telephony_accounts set simulated = 1 where team_id = $1', [team.team.id]);
    await missCall(team);
    await settle();
    assert.equal(stage.crm.entries.hub.length, 0);
  });

  test('changes the entry when a recording is ready, instead of making another', async () => {
    const team = await stage.connected(PIPE, { log: true });
    await missCall(team);
    await settle();
    const [id] = await callIdsOf(team);
    const subject = stage.app.newId();
    await stage.app.database.run(
      `insert into recordings (id, team_id, account_id, provider, external_id, call_key, told_status, state, archived_at,
          created_at)
        select $1, team_id, account_id, provider, 'RE1', external_id, 'available', 'archived', cast($3 as bigint),
          cast($3 as bigint) from calls where id = $2`,
      [subject, id ?? '', stage.clock.now()],
    );
    const ready = { teamId: team.team.id, type: 'recording.ready', subject, data: {} } as const;
    await stage.app.database.transaction((tx) => stage.app.events.record(tx, ready));
    await settle();
    const [entry, ...others] = stage.crm.entries.pipe;
    assert.deepEqual([others.length, entry?.changes], [0, 1]);
    assert.match(String(entry?.fields['note']), /Recording: .*#recordings/);
  });

  test('catches up in order after a day without the CRM, and logs each call once', async () => {
    const team = await stage.connected(HUB, { log: true });
    stage.crm.intervene(() => ({ status: 503, content: 'away' }));
    for (let hour = 0; hour < 24; hour++) {
      await missCall(team);
      await settle();
      stage.clock.advance(DAY_MS / 24);
    }
    stage.crm.mend();
    for (let round = 0; round < 4; round++) {
      stage.clock.advance(3_600_000);
      await settle();
    }
    const ids = await callIdsOf(team);
    assert.equal(ids.length, 24);
    assert.deepEqual(stage.crm.entries.hub.map(idOf), ids);
  });

  test('looks for the entry after an unclear answer, and sends nothing twice', async () => {
    const team = await stage.connected(HUB, { log: true });
    stage.crm.dropResponses(isCreate);
    await missCall(team);
    await settle();
    assert.equal(stage.crm.entries.hub.length, 1);
    stage.crm.mend();
    stage.clock.advance(SETTLED_MS);
    await settle();
    assert.equal(stage.crm.entries.hub.length, 1);
    assert.equal((await listOf(team)).counts.logged, 1);
  });

  test('sends nothing twice if the process is killed before it stores that it was sent', async () => {
    for (const kind of ['hub', 'pipe'] as const) {
      const provider = kind === 'hub' ? HUB : PIPE;
      const team = await stage.connected(provider, { log: true });
      await missCall(team);
      await settle();
      assert.equal(stage.crm.entries[kind].length, 1);
      // What was committed before the entry was sent.
      await stage.app.database.run(
        `update call_logs set state = 'sending', entry_id = null, due_at = sent_at + 120000 where team_id = $1`,
        [team.team.id],
      );
      await settle();
      stage.clock.advance(SETTLED_MS);
      await settle();
      assert.equal(stage.crm.entries[kind].length, 1);
      assert.equal((await listOf(team, provider)).counts.logged, 1);
    }
  });

  test("says that a call is unclear if the CRM can't say", async () => {
    const team = await stage.connected(PIPE, { log: true });
    stage.crm.dropResponses(isCreate);
    await missCall(team);
    await settle();
    stage.crm.mend();
    stage.crm.intervene(({ method, path }) =>
      method === 'GET' && path.endsWith('/activities')
        ? { status: 200, content: { data: [], additional_data: { next_cursor: 'more' } } }
        : null,
    );
    stage.clock.advance(SETTLED_MS);
    await settle();
    const { calls, counts } = await listOf(team, PIPE);
    assert.deepEqual([counts.unclear, calls[0].state], [1, 'unclear']);
    assert.equal(stage.crm.entries.pipe.length, 1);
    stage.crm.mend();
    const retry = `/api/integrations/${PIPE}/people/calls/${calls[0].id}/retry`;
    assert.equal((await stage.send('POST', retry, team.admin.headers)).status, 204);
    await settle();
    assert.equal((await listOf(team, PIPE)).counts.logged, 1);
    assert.equal(stage.crm.entries.pipe.length, 1);
  });

  test('lists what the CRM refused, and tries again when an admin says so', async () => {
    const team = await stage.connected(HUB, { log: true });
    stage.crm.intervene((asked) => (isCreate(asked) ? { status: 403, content: {} } : null));
    await missCall(team);
    await missCall(team, '+15551230002');
    await settle();
    const { calls, counts } = await listOf(team);
    assert.equal(counts.refused, 2);
    assert.match(calls[0].problem, /403/);
    stage.crm.mend();
    const retry = (id: string, headers: object) =>
      stage.send('POST', `/api/integrations/${HUB}/people/calls/${id}/retry`, headers);
    assert.equal((await retry(calls[0].id, team.member.headers)).status, 403);
    assert.equal((await retry(calls[0].id, team.admin.headers)).status, 204);
    await settle();
    assert.deepEqual(stage.crm.entries.hub.map(idOf), [calls[0].id]);
    assert.equal((await retry(calls[0].id, team.admin.headers)).status, 404);
    const other = await stage.connected(HUB, { log: true });
    assert.equal((await retry(calls[1].id, other.admin.headers)).status, 404);
  });

  test('waits for a CRM that limits requests, in order', async () => {
    const team = await stage.connected(HUB, { log: true });
    let left = 1;
    stage.crm.intervene((asked) =>
      isCreate(asked) && left-- <= 0 ? { status: 429, content: {}, headers: { 'retry-after': '60' } } : null,
    );
    for (let n = 0; n < 3; n++) await missCall(team);
    await settle();
    assert.equal(stage.crm.entries.hub.length, 1);
    stage.crm.mend();
    await settle();
    assert.equal(stage.crm.entries.hub.length, 1);
    stage.clock.advance(61_000);
    await settle();
    assert.deepEqual(stage.crm.entries.hub.map(idOf), await callIdsOf(team));
  });

  test('ends with the connection, and with the call', async () => {
    const team = await stage.connected(HUB, { lookup: true, log: true });
    stage.crm.intervene(() => ({ status: 503, content: {} }));
    await missCall(team);
    await settle();
    await stage.send('POST', '/api/telephony/erase', team.admin.headers, { number: CALLER });
    const left = await stage.app.database.all('select call_id from call_logs where team_id = $1', [team.team.id]);
    assert.deepEqual(left, []);
    await missCall(team);
    await stage.send('POST', `/api/integrations/${HUB}/disconnect`, team.admin.headers);
    stage.crm.mend();
    stage.clock.advance(DAY_MS);
    await settle();
    assert.equal(stage.crm.entries.hub.length, 0);
  });
});
