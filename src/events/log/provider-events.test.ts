import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { OPERATOR, putCustomer } from '../../../test/harness/customers.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { providerEvent } from '../../../test/harness/provider-events.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { NewEvent } from './event.ts';
import { toFilters } from './event-filter.ts';
import { listEventsOfCustomers, listEventsOfTeam } from './event-range-store.ts';
import { countReceived, listEventsAbout } from './event-store.ts';

type Logged = { id: string; type: string; sequence: number; team: object; data: Record<string, unknown> };

onEachEngine('what happens at connected accounts', (engine) => {
  const house = useStage(() => createTestApp(engine));
  let teams = 0;
  const createTeam = () => house.createTeam(`accounts-${++teams}`);

  const record = (...events: NewEvent[]) =>
    house.app.database.transaction((tx) => house.app.events.record(tx, ...events));

  const recordUnmatched = async (id: string, payload = '{}') =>
    record(
      providerEvent(await house.app.events.getFirstTeamId(), {
        type: 'provider.unmatched',
        account: null,
        id,
        payload,
      }),
    );

  const call = (teamId: string): NewEvent => ({ teamId, type: 'call.started', subject: 'call', data: { id: 'call' } });

  const list = async (
    headers: Record<string, string>,
    type?: string,
    path = '/api/events',
  ): Promise<{ status: number; events: Logged[]; ids: unknown[] }> => {
    const query = new URLSearchParams({ limit: '100', ...(type !== undefined && { type }) });
    const answer = await house.server.inject({ url: `${path}?${query}`, headers });
    const events: Logged[] = answer.json().events ?? [];
    return { status: answer.statusCode, events, ids: events.map(({ data }) => data['id']) };
  };

  const listCustomers = (type?: string) => list(OPERATOR, type, '/api/operator/events');

  test('is in the log with all else, and is found by provider, and by the provider’s type', async () => {
    const { team, member } = await createTeam();
    await record(
      providerEvent(team.id, { id: 'a', topic: 'issues' }),
      call(team.id),
      providerEvent(team.id, { id: 'b', topic: 'push' }),
      providerEvent(team.id, { id: 'c', provider: 'slack', topic: 'issues' }),
    );
    const ids = async (type?: string) => (await list(member.headers, type)).ids;
    assert.deepEqual(await ids(), ['a', 'call', 'b', 'c']);
    assert.deepEqual(await ids('provider.event'), ['a', 'b', 'c']);
    assert.deepEqual(await ids('provider.event:github'), ['a', 'b']);
    assert.deepEqual(await ids('provider.event:github/issues'), ['a']);
    assert.deepEqual(await ids('provider.event:github/other'), []);
    assert.deepEqual(await ids('*'), ['call']);
    for (const wrong of ['provider.*', 'provider.event:', 'provider.event:github/', 'provider.unmatched'])
      assert.equal((await list(member.headers, wrong)).status, 400, wrong);
  });

  test('is another team’s business, whatever they ask for', async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    await record(providerEvent(one.team.id, { id: 'secret' }));
    for (const type of [undefined, 'provider.event', 'provider.event:github', 'provider.event:github/issues'])
      assert.deepEqual((await list(other.member.headers, type)).ids, []);
  });

  test('is the operator’s to read for customers, and not for teams without a key', async () => {
    const customer = await putCustomer(house, `customer-${++teams}`);
    const { team } = await createTeam();
    const of = { provider: 'acme', topic: `operators ${teams}` };
    await record(providerEvent(customer.id, { ...of, id: 'theirs' }), providerEvent(team.id, { ...of, id: 'ours' }));
    for (const type of ['provider.event', 'provider.event:acme', `provider.event:acme/${of.topic}`, undefined]) {
      const { ids } = await listCustomers(type);
      assert.ok(ids.includes('theirs'), type);
      assert.ok(!ids.includes('ours'), type);
    }
    assert.ok(!(await listCustomers('*')).ids.includes('theirs'));
  });

  test('is only the operator’s if it fits no connection, and takes no number in the first team’s log', async () => {
    const firstTeamId = await house.app.events.getFirstTeamId();
    const admin = { authorization: `Bearer ${house.config.adminToken?.reveal()}` };
    await record(call(firstTeamId));
    await recordUnmatched('nobody’s');
    await record(call(firstTeamId));
    const before = (await list(admin)).events;
    const numbers = before.map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => (numbers[0] ?? 0) + index),
    );
    for (const type of [undefined, 'provider.event', 'provider.event:github'])
      assert.ok(!(await list(admin, type)).ids.includes('nobody’s'));
    for (const type of [undefined, 'provider.unmatched']) {
      const found = (await listCustomers(type)).events.find(({ data }) => data['id'] === 'nobody’s');
      assert.ok(found);
      assert.deepEqual([found.type, found.team], ['provider.unmatched', { id: firstTeamId, key: null }]);
      const show = (path: string, headers: Record<string, string>) =>
        house.server.inject({ url: `${path}/${found.id}`, headers });
      assert.equal((await show('/api/operator/events', OPERATOR)).json().data.id, 'nobody’s');
      assert.equal((await show('/api/events', admin)).statusCode, 404);
    }
    assert.ok(!(await listCustomers('provider.event')).ids.includes('nobody’s'));
  });

  test('says what the provider sent, to the last digit', async () => {
    const { team, member } = await createTeam();
    const payload = '{"id": 820982911946154508, "total": 1.10, "text": "1e400", "list": [null, 12345678901234567890]}';
    await record(providerEvent(team.id, { payload }));
    const answer = await house.server.inject({ url: '/api/events', headers: member.headers });
    const text = '"payload":{"id":820982911946154508,"total":1.10,"text":"1e400","list":[null,12345678901234567890]}';
    assert.ok(answer.body.includes(text), answer.body);
    const { data } = answer.json().events[0];
    assert.ok(!('payloadUrl' in data));
    assert.deepEqual(Object.keys(data).slice(0, 7), [
      ...['provider', 'connection', 'account', 'type', 'id', 'receivedAt', 'verified'],
    ]);
  });

  test('is counted and listed by connection, and is not in the connection’s own history', async () => {
    const { team } = await createTeam();
    const other = await createTeam();
    const { events } = house.app;
    await record(
      { teamId: team.id, type: 'connection.connected', subject: 'busy', data: {} },
      ...Array.from({ length: 1_005 }, () => providerEvent(team.id, { connection: 'busy' })),
      providerEvent(team.id, { connection: 'calm', provider: 'slack', topic: 'message' }),
      providerEvent(other.team.id, { connection: 'calm' }),
    );
    const ids = ['busy', 'calm', 'silent'];
    const counts = await events.countRecent(team.id, ids, 3_600_000);
    assert.deepEqual([...counts].sort(), [
      ['busy', 1_000],
      ['calm', 1],
      ['silent', 0],
    ]);
    assert.deepEqual([...(await events.countRecent(team.id, [], 1))], []);
    assert.equal((await events.countRecent(team.id, ids, -60_000)).get('calm'), 0);
    const changes = await events.listConnectionChanges(team.id, ids);
    assert.deepEqual(
      changes.map(({ type }) => type),
      ['connection.connected'],
    );
    const received = await events.listReceived(team.id, ids);
    assert.equal(received.length, 10);
    assert.deepEqual(
      received.slice(0, 2).map(({ type, provider, topic }) => [type, provider, topic]),
      [
        ['provider.event', 'slack', 'message'],
        ['provider.event', 'github', 'issues'],
      ],
    );
  });

  // Only on SQLite, because PostgreSQL may use any index for an empty table.
  if (engine === 'sqlite')
    test('is counted in an index, and so is the connection’s history found beside it', async () => {
      const { database, statements } = rememberStatements(house.app.database);
      await countReceived(database, 'team', ['connection'], { since: 1, most: 1_000 });
      await listEventsAbout(database, 'team', ['connection'], { about: 'connection', limit: 10 });
      await listEventsAbout(database, 'team', ['connection'], { about: 'account', limit: 10 });
      const lines = (await Promise.all(statements.map((one) => findSearches(house.app.database, one)))).flat();
      for (const index of [
        /COVERING INDEX events_received \(\(team_id,subject,created_at\)>\(\?,\?,\?\) AND/,
        /INDEX events_about_connections \(team_id=\? AND \(subject,position\)>/,
        /INDEX events_about_connections \(team_id=\? AND subject=\? AND position>\?\)/,
        /INDEX events_of_subject \(team_id=\? AND \(subject,position\)>/,
        /INDEX events_of_subject \(team_id=\? AND subject=\? AND position>\?\)/,
      ])
        assert.ok(
          lines.some((line) => index.test(line)),
          lines.join('\n'),
        );
    });

  // Only on SQLite, because PostgreSQL may use any index for an empty table.
  if (engine === 'sqlite')
    test('is found in an index by provider or type, and never by reading other events', async () => {
      const { database, statements } = rememberStatements(house.app.database);
      const range = { after: 0, upTo: 1_000, limit: 3 };
      const choices = [
        ...['*', 'provider.event', 'provider.event:github', 'provider.event:slack/message'],
        ...['provider.event:slack/message', 'call.*'],
      ];
      for (const choice of choices) {
        const filters = toFilters([choice]);
        await listEventsOfTeam(database, 'team', { ...range, filters });
        await listEventsOfCustomers(database, { ...range, filters });
      }
      const lines = (await Promise.all(statements.map((one) => findSearches(house.app.database, one)))).flat();
      const found = lines.filter((line) => /SEARCH events USING (?:COVERING )?INDEX events_of/.test(line));
      for (const index of [
        'events_of_provider (team_id=? AND provider=? AND position>? AND position<?)',
        'events_of_provider (team_id=? AND (provider,position)>(?,?) AND (provider,position)<(?,?))',
        'events_of_topic (team_id=? AND (provider,topic,position)>(?,?,?) AND (provider,topic,position)<(?,?,?))',
        'events_of_type (team_id=? AND (type,position)>(?,?) AND (type,position)<(?,?))',
        'events_of_customers_provider (provider=? AND position>? AND position<?)',
        'events_of_customers_provider ((provider,position)>(?,?) AND (provider,position)<(?,?))',
        'events_of_customers_topic ((provider,topic,position)>(?,?,?) AND (provider,topic,position)<(?,?,?))',
        'events_of_customers_type ((type,position)>(?,?) AND (type,position)<(?,?))',
      ])
        assert.ok(
          found.some((line) => line.includes(index)),
          `${index}\n${found.join('\n')}`,
        );
      for (const line of lines) assert.doesNotMatch(line, /SCAN events|events_of_(?:team|customers) .*position>/);
      const reads = lines.filter((line) => / events /.test(line) && !found.includes(line));
      for (const line of reads) assert.match(line, /position=\?\)/);
    });
});
