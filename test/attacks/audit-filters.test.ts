import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { asCustomer, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

type Headers = Record<string, string>;
type Entry = { id: string; action: string; actor: { kind: string; id: string | null }; address: string | null };

const HOSTILE = [
  "' or 1=1 --",
  "x' union select token_hash from access_tokens --",
  '"><script>alert(1)</script>',
  '%',
  '_',
  '../../x',
  '\u202e😀',
];

onOneEngine('the filters of the audit log', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));
  const ours = prepare(() => stage.createTeam('ours'));
  const theirs = prepare(() => stage.createTeam('theirs'));
  const session = prepare(() => openSession(stage, ours.admin.user));

  const get = (path: string, query: Record<string, string>, headers: Headers) =>
    stage.server.inject({ url: `${path}?${new URLSearchParams(query)}`, headers });
  const read = async (query: Record<string, string>, headers: Headers = ours.admin.headers) => {
    const answer = await get('/api/audit', query, headers);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json() as { events: Entry[]; nextCursor: string | null };
  };
  const idsOf = ({ events }: { events: Entry[] }) => events.map(({ id }) => id);
  const readFile = async (query: Record<string, string>, headers: Headers) => {
    const { statusCode, body } = await get('/api/audit', query, { ...headers, accept: 'text/csv' });
    assert.equal(statusCode, 200, body);
    return body;
  };
  const rename = async (name: string, headers: Headers = ours.admin.headers) => {
    clock.advance(1_000);
    const answer = await stage.server.inject({ method: 'PATCH', url: '/api/team', headers, payload: { name } });
    assert.equal(answer.statusCode, 200, answer.body);
  };

  test('find nothing of another team, by a person, an action, or a cursor', async () => {
    await rename('one');
    await rename('canary-of-theirs', theirs.admin.headers);
    const other = await read({ limit: '1' }, theirs.admin.headers);
    const who = theirs.admin.user.id;
    assert.deepEqual((await read({ who }, theirs.admin.headers)).events.length, 1);
    for (const query of [{ who }, { who, what: 'team.change' }]) {
      assert.deepEqual(await read(query), { events: [], nextCursor: null });
      assert.equal((await readFile(query, ours.admin.headers)).trim().split('\r\n').length, 1);
      const page = await get('/settings/audit', query, session.headers);
      assert.match(page.body, /No entries match/);
      assert.doesNotMatch(page.body, /theirs/);
    }
    const cursor = other.nextCursor ?? '';
    const all = await read({});
    assert.ok(cursor !== '' && all.events.length > 2);
    for (const query of [{ cursor }, { cursor, who: ours.admin.user.id }, { cursor, what: 'token.create' }])
      assert.deepEqual(
        idsOf(await read(query)).filter((id) => !idsOf(all).includes(id)),
        [],
      );
  });

  test('show a member what an admin sees, without IP addresses, in no format', async () => {
    const query = { who: ours.admin.user.id, what: 'team.change' };
    const [asAdmin, asMember] = [await read(query), await read(query, ours.member.headers)];
    assert.deepEqual(idsOf(asMember), idsOf(asAdmin));
    assert.deepEqual(new Set(asAdmin.events.map(({ address }) => address)), new Set(['127.0.0.1']));
    assert.deepEqual(new Set(asMember.events.map(({ address }) => address)), new Set([null]));
    assert.match(await readFile(query, ours.admin.headers), /127\.0\.0\.1/);
    assert.doesNotMatch(await readFile(query, ours.member.headers), /127\.0\.0\.1/);
    const member = await openSession(stage, ours.member.user);
    for (const path of ['/settings/audit', '/settings/audit.csv']) {
      assert.match((await get(path, query, session.headers)).body, /127\.0\.0\.1/, path);
      const { statusCode, body } = await get(path, query, member.headers);
      assert.equal(statusCode, 200);
      assert.match(body, /Changed the team settings/);
      assert.doesNotMatch(body, /127\.0\.0\.1|IP address/, path);
    }
  });

  test('take SQL and markup as text', async () => {
    for (const text of HOSTILE)
      for (const query of [{ who: text }, { what: text }, { who: text, what: text }]) {
        assert.deepEqual(await read(query), { events: [], nextCursor: null }, text);
        const page = await get('/settings/audit', query, session.headers);
        assert.equal(page.statusCode, 200);
        assert.match(page.body, /No entries match/);
        assert.doesNotMatch(page.body, /<script>alert/);
      }
  });

  test('are refused if they are empty, too long, or no time', async () => {
    const bad: Record<string, string>[] = [
      { who: '' },
      { what: '' },
      { who: 'x'.repeat(61) },
      { what: 'x'.repeat(10_240) },
      { since: 'yesterday' },
      { since: '2026-02-30T00:00:00Z' },
      { until: '2016-12-31T23:59:60Z' },
      { limit: '0' },
      { limit: '101' },
      { actor: 'x' },
      { cursor: 'x' },
    ];
    for (const query of bad)
      for (const accept of ['application/json', 'text/csv']) {
        const { statusCode, headers, body } = await get('/api/audit', query, { ...ours.admin.headers, accept });
        assert.ok([400, 414].includes(statusCode), `${JSON.stringify(query).slice(0, 80)}: ${statusCode} ${body}`);
        assert.match(String(headers['content-type']), /^application\/problem\+json/);
      }
    for (const query of [
      { who: 'x'.repeat(61) },
      { what: 'x'.repeat(10_240) },
      { since: 'x' },
      { until: '2026-02-31' },
    ])
      for (const path of ['/settings/audit', '/settings/audit.csv'])
        assert.ok([400, 414].includes((await get(path, query, session.headers)).statusCode), path);
  });

  test('say that nothing lies between a start and an end before it', async () => {
    const [since, until] = ['2026-11-10T00:00:00Z', '2026-11-09T00:00:00Z'];
    for (const query of [
      { since, until },
      { since, until: since },
    ])
      for (const accept of ['application/json', 'text/csv']) {
        const answer = await get('/api/audit', query, { ...ours.admin.headers, accept });
        const { code, errors } = answer.json();
        assert.deepEqual(
          [answer.statusCode, code, errors[0].path],
          [400, 'teams.period_invalid', 'query.since'],
          accept,
        );
      }
    const page = await get('/settings/audit', { since: '2026-11-10', until: '2026-11-09' }, session.headers);
    assert.equal(page.statusCode, 400);
    assert.match(page.body, /Nothing lies in this period[\s\S]*name="since" type="date" value="2026-11-10"/);
    const day = clock.now() - (clock.now() % 86_400_000);
    const today = new Date(day).toISOString().slice(0, 10);
    assert.equal((await get('/settings/audit', { since: today, until: today }, session.headers)).statusCode, 200);
  });

  test('can change while paging, and then continue at the same place', async () => {
    await rename('two');
    await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: ours.member.headers,
      payload: { name: 'x' },
    });
    await rename('three');
    await rename('four');
    const first = await read({ what: 'team.change', limit: '2' });
    const cursor = first.nextCursor ?? '';
    const place = first.events.at(-1)?.id ?? '';
    for (const query of [{}, { who: ours.member.user.id }, { what: 'token.create' }]) {
      const all = idsOf(await read({ ...query, limit: '100' }));
      assert.deepEqual(
        idsOf(await read({ ...query, cursor, limit: '100' })),
        all.filter((id) => id < place),
      );
    }
    const until = new Date(clock.now() - 3_600_000).toISOString();
    assert.deepEqual(idsOf(await read({ cursor, until })), idsOf(await read({ until })), 'The earlier end counts.');
  });

  test('find what a removed member did, and who removed them', async () => {
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/members',
      headers: ours.admin.headers,
      payload: { email: 'leaver@ours.example', role: 'admin' },
    });
    const { id } = made.json().member;
    const { token } = await stage.app.teams.tokens.create(
      { userId: id, teamId: ours.team.id, role: 'admin' },
      { kind: 'user', userId: id, address: null, requestId: null },
      { name: 'last' },
    );
    await rename('by the leaver', { authorization: `Bearer ${token}` });
    const url = `/api/members/${id}`;
    const removed = await stage.server.inject({ method: 'DELETE', url, headers: ours.admin.headers });
    assert.equal(removed.statusCode, 204, removed.body);
    const { events } = await read({ who: id });
    assert.deepEqual(
      events.map(({ action }) => action),
      ['team.change', 'token.create'],
    );
    const page = await get('/settings/audit', { who: id }, session.headers);
    assert.match(page.body, /<option value="[\w-]+" selected>leaver@ours\.example \(removed\)<\/option>/);
  });

  test('find nothing of an erased team, not even for the next team with its key', async () => {
    await putCustomer(stage, 'gone');
    const acting = asCustomer('gone', 'ann').headers;
    await rename('canary-of-the-gone', acting);
    const [entry] = (await read({ what: 'team.change' }, acting)).events;
    const who = entry?.actor.id ?? '';
    assert.equal((await read({ who }, acting)).events.length, 1);
    const deleted = await stage.server.inject({ method: 'DELETE', url: '/api/operator/teams/gone', headers: OPERATOR });
    assert.equal(deleted.statusCode, 202);
    const erasure = createTestErasure({ ...stage, clock });
    const [team] = await stage.app.database.all<{ id: string }>('select id from teams where erasing_at is not null');
    await erasure.expectGone(team?.id ?? '');
    await putCustomer(stage, 'gone');
    for (const query of [{ who }, { what: 'team.change' }, { who: 'operator', what: 'team.change' }])
      assert.deepEqual((await read(query, asCustomer('gone').headers)).events, []);
  });
});
