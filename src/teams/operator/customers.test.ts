import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, SECRETS, type TestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { startIdentityProvider } from '../../../test/harness/identity-provider.ts';
import { useStage } from '../../../test/harness/use-stage.ts';

const OPERATOR = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}` };
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');

/** Inserts a team that an identity provider named before keys existed. */
const insertUnkeyed = ({ app }: TestApp, id: string, issuer: string, subject: string) =>
  app.database.run(
    `insert into teams (id, name, time_zone, payload_days, issuer, subject, created_at)
     values ($1, 'early', 'UTC', 30, $2, $3, 1)`,
    [id, issuer, subject],
  );

onEachEngine('customers', (engine) => {
  const house = useStage(() => createTestApp(engine));

  const call = async (
    method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
  ) => {
    const response = await house.server.inject({
      method,
      url,
      headers: { ...OPERATOR, ...headers },
      ...(body ? { payload: body } : {}),
    });
    return { status: response.statusCode, body: response.body === '' ? null : response.json() };
  };

  const put = (key: string, body: object = { name: 'Acme' }) =>
    call('PUT', `/api/operator/teams/${encodeURIComponent(key)}`, { body });

  test('a team is created once, then changed, and keeps what the request leaves out', async () => {
    const created = await put('c-1', { name: 'Acme', timeZone: 'europe/berlin' });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body), ['id', 'key', 'name', 'timeZone', 'createdAt']);
    assert.equal(created.body.timeZone, 'Europe/Berlin');
    const changed = await put('c-1', { name: 'Acme Inc.' });
    assert.deepEqual([changed.status, changed.body], [200, { ...created.body, name: 'Acme Inc.' }]);
    const { connections, ...shown } = (await call('GET', '/api/operator/teams/c-1')).body;
    assert.deepEqual(shown, changed.body);
    assert.deepEqual(connections, { connected: 0, degraded: 0, needs_reconnect: 0 });
    const { events } = (await call('GET', '/api/audit', { headers: { 'patchbay-team': 'c-1' } })).body;
    assert.deepEqual(
      events.map(({ action, actor }: { action: string; actor: { kind: string } }) => [action, actor.kind]),
      [
        ['team.change', 'operator'],
        ['team.create', 'operator'],
      ],
    );
  });

  test('fifty requests at once create one team', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => put('crowd')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(49).fill(200), 201]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  });

  test('a key may contain every printable character, and is compared byte for byte', async () => {
    const half = PRINTABLE.length / 2;
    const keys = [PRINTABLE, PRINTABLE.repeat(3).slice(0, 200), 'a', 'A', '%2e', '%252e', '...', 'a/b', '\'"<&>'];
    keys.push(PRINTABLE.slice(0, half), PRINTABLE.slice(half));
    const ids = new Set<string>();
    for (const key of keys) {
      const { status, body } = await put(key);
      assert.deepEqual([status, body.key], [201, key]);
      ids.add(body.id);
      const team = await call('GET', '/api/team', { headers: { 'patchbay-team': key } });
      assert.deepEqual([team.status, team.body.team.id, team.body.team.key], [200, body.id, key]);
    }
    assert.equal(ids.size, keys.length);
  });

  test('a key with anything else is refused', async () => {
    for (const key of ['a b', 'é', 'a\tb', '\u0000', 'a\u00a0', '\u{1f4de}', 'x'.repeat(201)])
      assert.equal((await put(key)).status, 400, JSON.stringify(key));
    assert.equal((await call('PUT', '/api/operator/teams/%ff', { body: { name: 'x' } })).status, 400);
  });

  test('invalid settings are refused and create nothing', async () => {
    for (const body of [{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(201) }, { name: 'x', timeZone: 'Mars/A' }])
      assert.equal((await put('never', body)).status, 400, JSON.stringify(body));
    assert.equal((await put('never', { name: 'x', role: 'admin' })).status, 400);
    assert.equal((await call('GET', '/api/operator/teams/never')).body.code, 'operator.team_unknown');
  });

  test('creating one with the wrong method says how it is done', async () => {
    const { status, body } = await call('POST', '/api/operator/teams', { body: { name: 'Acme' } });
    assert.deepEqual([status, body.code], [405, 'http.method_not_allowed']);
    assert.match(
      body.detail,
      /^This address only accepts GET\. To create a team, use PUT \/api\/operator\/teams\/\{key\}/,
    );
  });

  test('the list has pages, and only the teams that have a key', async () => {
    await house.createTeam('unkeyed');
    for (const number of [1, 2, 3, 4, 5]) await put(`page-${number}`);
    const keys: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await call('GET', `/api/operator/teams?limit=2${query}`);
      assert.ok(body.teams.length <= 2);
      keys.push(...body.teams.map(({ key }: { key: string }) => key));
      cursor = body.nextCursor;
    }
    assert.equal(new Set(keys).size, keys.length);
    assert.deepEqual(
      keys.filter((key) => key.startsWith('page-')),
      ['page-1', 'page-2', 'page-3', 'page-4', 'page-5'],
    );
    assert.equal((await call('GET', '/api/operator/teams?limit=101')).status, 400);
  });

  test('the operator acts as an admin of the team, for itself or for a user of the product', async () => {
    const { body: team } = await put('acting');
    const headers = { 'patchbay-team': 'acting' };
    const change = { headers, body: { businessHours: null, reportRecipients: ['ops@acme.example'] } };
    assert.equal((await call('PATCH', '/api/team', change)).status, 200);
    assert.deepEqual((await call('GET', '/api/members', { headers })).body.members, []);

    const asUser = { ...headers, 'patchbay-user': 'u-1' };
    assert.equal((await call('GET', '/api/integrations/status', { headers: asUser })).body.team.id, team.id);
    const renamed = await call('PATCH', '/api/team', { headers: asUser, body: { name: 'Renamed' } });
    assert.equal(renamed.status, 200);
    const { members } = (await call('GET', '/api/members', { headers })).body;
    assert.deepEqual(
      members.map(({ name, role, source }: Record<string, string>) => ({ name, role, source })),
      [{ name: 'u-1', role: 'member', source: 'operator' }],
    );
    const { events } = (await call('GET', '/api/audit', { headers })).body;
    assert.deepEqual(events[0].actor, { kind: 'operator', id: members[0].id, key: 'u-1' });
  });

  test('a team that a claim named before there were keys gets its key while AUTH_ISSUER is not set', async () => {
    await insertUnkeyed(house, 't-early', 'https://issuer.example', 'early');
    const { status, body } = await put('early');
    assert.deepEqual([status, body.id], [200, 't-early']);
  });

  test('a removed user is refused, and the operator itself cannot be removed', async () => {
    await put('removing');
    const headers = { 'patchbay-team': 'removing' };
    const asUser = { ...headers, 'patchbay-user': 'u-1' };
    await call('GET', '/api/team', { headers: asUser });
    const { members } = (await call('GET', '/api/members', { headers })).body;
    assert.equal((await call('DELETE', `/api/members/${members[0].id}`, { headers })).status, 204);
    const refused = await call('GET', '/api/team', { headers: asUser });
    assert.deepEqual([refused.status, refused.body.code], [409, 'operator.user_removed']);
    const { events } = (await call('GET', '/api/audit', { headers })).body;
    const itself = events[0].actor.id;
    assert.equal((await call('DELETE', `/api/members/${itself}`, { headers })).status, 404);
    assert.equal((await call('PATCH', `/api/members/${itself}`, { headers, body: { name: 'x' } })).status, 404);
    assert.equal((await call('GET', '/api/team', { headers })).status, 200);
  });
});

onEachEngine('customers whose users have tokens of an identity provider', (engine) => {
  const provider = useStage(() => startIdentityProvider());
  const house = useStage(() =>
    createTestApp(engine, { env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );

  const put = async (key: string) => {
    const url = `/api/operator/teams/${encodeURIComponent(key)}`;
    return (await house.server.inject({ method: 'PUT', url, headers: OPERATOR, payload: { name: key } })).json();
  };
  const teamOf = async (team: string) => {
    const token = await provider.sign({ sub: 'u1', team });
    const headers = { authorization: `Bearer ${token}` };
    return (await house.server.inject({ url: '/api/team', headers })).json().team;
  };

  test('a key and a team claim with the same text are the same team, whoever came first', async () => {
    const { id } = await put('operator-first');
    assert.equal((await teamOf('operator-first')).id, id);
    const seen = await teamOf('claim-first');
    assert.deepEqual([seen.key, (await put('claim-first')).id], ['claim-first', seen.id]);
  });

  test('neither is refused while both create it', async () => {
    for (let round = 0; round < 10; round++) {
      const key = `both-${round}`;
      const [made, ...seen] = await Promise.all([put(key), ...Array.from({ length: 5 }, () => teamOf(key))]);
      assert.deepEqual([...new Set([made.id, ...seen.map(({ id }) => id)])], [made.id]);
    }
  });

  test('a team that a claim named before there were keys gets its key when the operator asks for it', async () => {
    const { id } = await teamOf('early');
    await house.app.database.run('update teams set key = null where id = $1', [id]);
    const headers = { ...OPERATOR, 'patchbay-team': 'early' };
    assert.equal((await house.server.inject({ url: '/api/team', headers })).json().team.id, id);
    await insertUnkeyed(house, 't-elsewhere', 'https://elsewhere.example', 'moved');
    assert.equal((await put('moved')).id, 't-elsewhere', 'Whichever issuer named it.');
  });

  test('if several issuers named one, the current issuer’s gets the key; without one, the team is new', async () => {
    const { id } = await teamOf('several');
    await house.app.database.run('update teams set key = null where id = $1', [id]);
    for (const [index, name] of ['a', 'b', 'z'].entries()) {
      await insertUnkeyed(house, `t-several-${index}`, `https://${name}.example`, 'several');
      await insertUnkeyed(house, `t-others-${index}`, `https://${name}.example`, 'others');
    }
    assert.equal((await put('several')).id, id);
    assert.ok(!(await put('others')).id.startsWith('t-others'));
  });

  test('a claim that is no key has a team of its own, which the operator cannot name', async () => {
    const { key } = await teamOf('two words');
    assert.equal(key, null);
  });
});
