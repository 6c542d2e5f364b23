import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { HUB, openPeopleStage, PIPE } from '../harness/people-stage.ts';
import { CALLER } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('looking up callers in a CRM', (engine) => {
  const stage = useStage(() => openPeopleStage(engine));
  const lookUp = (which: { teamId: string; connectionId: string }, number = CALLER) =>
    stage.app.integrations.people.lookUpPerson(which, number);

  beforeEach(() => {
    stage.crm.mend();
    stage.crm.forget();
  });

  for (const [provider, kind] of [
    [HUB, 'hub'],
    [PIPE, 'pipe'],
  ] as const)
    test(`finds a contact of ${provider}, however the number is written there`, async () => {
      for (const [number, phone] of [
        ['+15551230001', '(555) 123-0001'],
        ['+15551230001', '+1 555 123 0001'],
        ['+442079460958', '020 7946 0958'],
      ] as const) {
        stage.crm.forget();
        stage.crm.addContact(kind, { name: 'Jane Doe', phone });
        const { which } = await stage.connected(provider, { lookup: true });
        const found = await lookUp(which, number);
        const isFound = found.state === 'found' || (phone.startsWith('020') && found.state === 'none');
        assert.ok(isFound, `${number} ${phone}: ${found.state}`);
        if (found.state !== 'found') continue;
        assert.equal(found.contact.name, 'Jane Doe');
        assert.match(found.contact.url ?? '', new RegExp(`/${found.contact.id}$`));
      }
    });

  test('says so when there is nobody, and when there are several', async () => {
    const { which, people } = await stage.connected(PIPE, { lookup: true });
    assert.deepEqual(await lookUp(which), { state: 'none' });
    stage.crm.addContact('pipe', { name: 'Jane Doe', phone: '555 123 0001' });
    stage.crm.addContact('pipe', { name: 'John Doe', phone: '555 123 0001' });
    assert.deepEqual(await lookUp(which), { state: 'several' });
    const { lastNoMatchAt, lastSeveralAt, lastFoundAt, problem } = await people();
    assert.ok(lastNoMatchAt && lastSeveralAt);
    assert.deepEqual([lastFoundAt, problem], [null, null]);
  });

  test("doesn't take a number that only contains it for the same one", async () => {
    const { which } = await stage.connected(PIPE, { lookup: true });
    stage.crm.addContact('pipe', { name: 'Other', phone: '+49 5551230001' });
    stage.crm.addContact('pipe', { name: 'Longer', phone: '+1 555 123 00012' });
    assert.deepEqual(await lookUp(which), { state: 'none' });
    assert.deepEqual(await lookUp(which, 'sip:desk@example.com'), { state: 'none' });
  });

  test('makes hostile names safe', async () => {
    const { which } = await stage.connected(PIPE, { lookup: true });
    stage.crm.addContact('pipe', { name: `\u202e<b>Jane</b>\n${'x'.repeat(5_000)}`, phone: '555 123 0001' });
    const found = await lookUp(which);
    assert.ok(found.state === 'found');
    assert.match(found.contact.name, /^<b>Jane<\/b> x{100,}$/);
    assert.equal(found.contact.name.length, 200);
  });

  test('says that the right to search is missing', async () => {
    const { which, people } = await stage.connected(HUB, { lookup: true });
    stage.crm.intervene(({ path }) => (path.endsWith('/search') ? { status: 403, content: {} } : null));
    assert.deepEqual(await lookUp(which), { state: 'failed' });
    const { problem, needs } = await people();
    assert.equal(problem.code, 'not_allowed');
    assert.match(needs.lookup, /crm\.objects\.contacts\.read/);
    stage.crm.mend();
    assert.deepEqual(await lookUp(which), { state: 'none' });
    assert.equal((await people()).problem, null);
  });

  test('waits as long as the CRM says, and backs off while it is away', async () => {
    const { which, people } = await stage.connected(HUB, { lookup: true });
    stage.crm.intervene(() => ({ status: 429, content: {}, headers: { 'retry-after': '30' } }));
    const now = stage.clock.now();
    assert.deepEqual(await lookUp(which), { state: 'later', until: now + 30_000 });
    assert.equal((await people()).problem.code, 'busy');
    stage.crm.forget();
    assert.deepEqual(await lookUp(which), { state: 'later', until: now + 30_000 });
    assert.equal(stage.crm.asked.length, 0);
    stage.clock.advance(30_000);
    for (const content of ['<h1>Bad gateway</h1>', 'x']) {
      stage.crm.intervene(() => ({ status: content === 'x' ? 200 : 502, content }));
      const later = await lookUp(which);
      assert.ok(later.state === 'later' && later.until > stage.clock.now());
      stage.clock.advance(later.until - stage.clock.now());
    }
    stage.crm.mend();
    assert.deepEqual(await lookUp(which), { state: 'none' });
    assert.equal((await people()).problem, null);
  });

  test("isn't done with a connection that is contained, or removed", async () => {
    const { which, admin, people } = await stage.connected(HUB, { lookup: true });
    const contain = { reason: 'a leak', provider: HUB, revoke: false, dryRun: false };
    const begun = await stage.send('POST', '/api/containments', admin.headers, contain);
    assert.equal(begun.status, 201, begun.body);
    stage.crm.forget();
    assert.equal((await lookUp(which)).state, 'later');
    assert.equal((await people()).problem.code, 'stopped');
    const disconnected = await stage.send('POST', `/api/integrations/${HUB}/disconnect`, admin.headers);
    assert.equal(disconnected.status, 200, disconnected.body);
    assert.deepEqual(await lookUp(which), { state: 'failed' });
    assert.equal(stage.crm.lookups(), 0);
  });

  test('is logged with the requests of the connection, as a request of Patchbay', async () => {
    const { which, admin } = await stage.connected(HUB, { lookup: true });
    await lookUp(which);
    await stage.app.integrations.containments.flushUses();
    const { requests } = (await stage.send('GET', '/api/integrations/requests', admin.headers)).read();
    const [request] = requests;
    assert.deepEqual([request.method, request.path], ['POST', '/crm/v3/objects/contacts/search']);
    assert.deepEqual(request.by, { kind: 'people', id: null, name: null, via: 'service', userId: null });
    assert.ok(!JSON.stringify(requests).includes('5551230001'));
  });

  test('is turned on and off by admins, per connection', async () => {
    const { choose, people, member, which, admin } = await stage.connected(HUB);
    assert.deepEqual([(await people()).lookup, (await people()).log], [false, false]);
    const byMember = await stage.send('PATCH', `/api/integrations/${HUB}/people`, member.headers, { lookup: true });
    assert.equal(byMember.status, 403);
    assert.equal((await choose({ lookup: true })).read().lookup, true);
    const { lookup, log } = (await choose({ log: true, connection: 'default' })).read();
    assert.deepEqual([lookup, log], [true, true]);
    assert.equal((await choose({ lookup: false })).read().lookup, false);
    assert.equal((await choose({ connection: 'other' })).status, 409);
    assert.equal(
      (await stage.send('PATCH', '/api/integrations/github/people', admin.headers, { lookup: true })).status,
      409,
    );
    const { events } = (await stage.send('GET', '/api/audit', admin.headers)).read();
    assert.equal(events.filter(({ action }: { action: string }) => action === 'integration.people').length, 3);
    assert.equal((await lookUp({ ...which, teamId: 'another' })).state, 'failed');
  });
});
