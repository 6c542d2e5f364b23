import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { asCustomer, OPERATOR, putCustomer } from '../../../test/harness/customers.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { useStage } from '../../../test/harness/use-stage.ts';

onEachEngine('the users of a customer', (engine) => {
  const house = useStage(() => createTestApp(engine));

  const ask = async (method: 'PUT' | 'DELETE', team: string, user: string, payload?: object) => {
    const url = `/api/operator/teams/${team}/users/${encodeURIComponent(user)}`;
    const answer = await house.server.inject({ method, url, headers: OPERATOR, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() };
  };
  const put = (team: string, user: string, payload: object = {}) => ask('PUT', team, user, payload);
  const remove = (team: string, user: string) => ask('DELETE', team, user);

  const read = async (team: string, url: string) =>
    (await house.server.inject({ url, headers: asCustomer(team).headers })).json();
  const listKeys = async (team: string) =>
    (await read(team, '/api/members')).members.map(({ key }: { key: string }) => key);

  test('are created, changed, and keep what the request leaves out', async () => {
    await putCustomer(house, 'acme');
    const created = await put('acme', 'u-1', { name: 'Ann', email: 'ann@example.com' });
    const { id } = created.body;
    assert.deepEqual(created, { status: 201, body: { id, key: 'u-1', name: 'Ann', email: 'ann@example.com' } });
    assert.deepEqual(await put('acme', 'u-1'), { status: 200, body: created.body });
    const renamed = await put('acme', 'u-1', { name: 'Anna', email: null });
    assert.deepEqual(renamed, { status: 200, body: { id, key: 'u-1', name: 'Anna', email: null } });
    assert.equal((await put('acme', 'u-1', { name: null })).body.name, 'u-1', 'Without a name, they go by their key.');
    assert.equal((await put('acme', 'u-2')).body.name, 'u-2');
    assert.deepEqual(await listKeys('acme'), ['u-1', 'u-2']);
  });

  test('are removed and restored as often as the operator likes, and recorded each time', async () => {
    await putCustomer(house, 'turns');
    const { body: user } = await put('turns', 'u-1', { name: 'Ann' });
    for (let time = 0; time < 2; time++) {
      assert.equal((await remove('turns', 'u-1')).status, 204);
      assert.deepEqual(await listKeys('turns'), []);
      assert.deepEqual(await put('turns', 'u-1', {}), { status: 200, body: user });
      assert.deepEqual(await listKeys('turns'), ['u-1']);
    }
    const { events } = await read('turns', '/api/audit');
    assert.deepEqual(
      events.map((event: { action: string; actor: { kind: string }; targetKey: string | null }) => [
        event.action,
        event.actor.kind,
        event.targetKey,
      ]),
      [
        ...Array.from({ length: 2 }, () => [
          ['member.restore', 'operator', 'u-1'],
          ['member.remove', 'operator', 'u-1'],
        ]).flat(),
        ['member.create', 'operator', 'u-1'],
        ['team.create', 'operator', null],
      ],
    );
  });

  test('are removed by repeated and unknown requests alike, which record nothing', async () => {
    await putCustomer(house, 'again');
    await put('again', 'u-1');
    for (const user of ['u-1', 'u-1', 'nobody']) assert.equal((await remove('again', user)).status, 204, user);
    const { events } = await read('again', '/api/audit');
    assert.equal(events.filter(({ action }: { action: string }) => action === 'member.remove').length, 1);
    const unknown = await remove('no-such-team', 'u-1');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'operator.team_unknown']);
    assert.equal((await put('no-such-team', 'u-1')).body.code, 'operator.team_unknown');
  });

  test('are one user, however many requests create it at once', async () => {
    await putCustomer(house, 'crowd');
    const answers = await Promise.all(Array.from({ length: 30 }, () => put('crowd', 'u-1', { name: 'Ann' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(29).fill(200), 201]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    const both = Array.from({ length: 30 }, (_, index) => (index % 2 ? put('crowd', 'u-1') : remove('crowd', 'u-1')));
    for (const { status } of await Promise.all(both)) assert.ok([200, 204].includes(status), String(status));
  });

  test('keep both changes, if two are made at the same moment', async () => {
    const { database } = house.app;
    await putCustomer(house, 'moment');
    const { body: user } = await put('moment', 'u-1', { name: 'Ann' });
    const changes = [
      () => put('moment', 'u-1', { name: 'Anna' }),
      () => put('moment', 'u-1', { email: 'anna@example.com' }),
    ] as const;
    const [, second] = await runTogether(database, 'users', changes);
    assert.deepEqual(second.body, { ...user, name: 'Anna', email: 'anna@example.com' });
    assert.deepEqual((await put('moment', 'u-1')).body, second.body);
  });

  test('are removed once, and recorded once, if two requests remove them at the same moment', async () => {
    await putCustomer(house, 'twice');
    await put('twice', 'u-1');
    const both = [() => remove('twice', 'u-1'), () => remove('twice', 'u-1')] as const;
    for (const { status } of await runTogether(house.app.database, 'users', both)) assert.equal(status, 204);
    const { events } = await read('twice', '/api/audit');
    assert.equal(events.filter(({ action }: { action: string }) => action === 'member.remove').length, 1);
  });

  test('are refused with a key, a name, or an address that is none', async () => {
    await putCustomer(house, 'limits');
    for (const key of ['a b', 'é', 'x'.repeat(201)]) {
      assert.equal((await put('limits', key)).status, 400, key);
      assert.equal((await remove('limits', key)).status, 400, key);
    }
    for (const body of [{ name: '' }, { name: ' ' }, { name: 'x'.repeat(201) }, { email: 'x' }, { role: 'admin' }])
      assert.equal((await put('limits', 'u-1', body)).status, 400, JSON.stringify(body));
    assert.deepEqual(await listKeys('limits'), []);
    for (const key of ['x'.repeat(200), '%2e', 'a/b', '...']) {
      assert.equal((await put('limits', key)).body.key, key);
      assert.equal((await remove('limits', key)).status, 204);
    }
  });

  test('of a team that is being erased are left alone', async () => {
    await putCustomer(house, 'erased');
    await house.server.inject({ method: 'DELETE', url: '/api/operator/teams/erased', headers: OPERATOR });
    for (const { status, body } of [await put('erased', 'u-1'), await remove('erased', 'u-1')])
      assert.deepEqual([status, body.code], [409, 'operator.team_erasing']);
  });
});
