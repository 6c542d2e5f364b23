import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock, createTestLog } from '../../../test/harness/app.ts';
import { onOneEngine } from '../../../test/harness/databases.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { AUDIT_EVENTS, auditRow } from '../../teams/audit/audit-store.ts';
import { findRequest } from './find-request.ts';
import { type ListedRequest, listRequests, type RequestQuery } from './list-requests.ts';
import type { LoggedRequest, RequestSource } from './logged-request.ts';
import { createRequestLog } from './request-log.ts';

const REQUEST: Omit<LoggedRequest, 'id' | 'at'> = {
  ...{ method: 'GET', host: null, path: '/me', status: 200, from: 'provider', failed: false, retried: false },
  ...{ ms: 12, requestBytes: 0, responseBytes: 2 },
};

onOneEngine('the list of requests', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));

  const open = async () => {
    const { app } = stage;
    const { team, admin } = await stage.createTeam(`listed-${app.newId()}`);
    const log = createRequestLog({ ...app, clock, log: createTestLog().log });
    const source: RequestSource = {
      ...{ teamId: team.id, connectionId: 'c', provider: 'acme', connection: 'default' },
      ...{ accountId: null, accountLabel: null, kind: 'proxy', via: 'token', userId: admin.user.id },
      ...{ tokenId: 'token', tokenName: 'script' },
    };
    return {
      source,
      add: (changes: Partial<LoggedRequest>, by: Partial<RequestSource> = {}) =>
        log.add({ ...source, ...by }, { ...REQUEST, ...changes }),
      write: () => log.close(),
      list: (query: Partial<RequestQuery> = {}) => listRequests(app, team.id, { limit: 100, ...query }),
      find: (id: string, teamId = team.id) => findRequest(app, teamId, id),
      async handOut(): Promise<void> {
        const actor = { actor: 'user', actorId: admin.user.id, address: null, requestId: null } as const;
        const event = { ...actor, id: app.newId(), at: clock.now(), action: 'integration.token', target: 'acme' };
        const detail = JSON.stringify({ connection: 'default', token: null });
        await app.database.insertRows(AUDIT_EVENTS, [auditRow(team.id, { ...event, detail })]);
      },
    };
  };

  const pathsOf = (rows: readonly ListedRequest[]) => rows.map(({ request }) => request?.path ?? 'handed out');

  test('can be narrowed down to a method, a class of statuses, and a caller', async () => {
    const { add, write, list, handOut, source } = await open();
    add({ path: '/read' });
    clock.advance(1);
    add({ path: '/moved', status: 302 });
    clock.advance(1);
    add({ path: '/removed', method: 'DELETE', status: 404, failed: true });
    clock.advance(1);
    add({ path: '/left', status: null });
    clock.advance(1);
    add({ path: '/by-person' }, { tokenId: null, tokenName: null, via: 'jwt' });
    clock.advance(1);
    add({ path: '/by-operator', status: 999, failed: true }, { tokenId: null, tokenName: null, via: 'operator' });
    clock.advance(1);
    await handOut();
    await write();
    const read = async (query: Partial<RequestQuery>) => pathsOf((await list(query)).rows);
    assert.deepEqual(await read({ method: 'DELETE' }), ['/removed']);
    assert.deepEqual(await read({ method: 'GET' }), ['/by-operator', '/by-person', '/left', '/moved', '/read']);
    assert.deepEqual(await read({ statusClass: 2 }), ['handed out', '/by-person', '/read']);
    assert.deepEqual(await read({ statusClass: 3 }), ['/moved']);
    assert.deepEqual(await read({ statusClass: 4, failed: true }), ['/removed']);
    assert.deepEqual(await read({ statusClass: 5 }), []);
    assert.deepEqual(await read({ caller: 'token', method: 'GET' }), ['/left', '/moved', '/read']);
    assert.deepEqual(await read({ caller: `user:${source.userId}` }), ['handed out', '/by-person']);
    assert.deepEqual(await read({ caller: 'operator' }), ['/by-operator']);
  });

  test('is searched in pieces, and nothing is left out where one ends', async () => {
    const { add, write, list } = await open();
    const addGroups = (number: number): void => {
      for (let index = 0; index < number; index++) {
        clock.advance(1_001);
        add({ path: '/other' });
      }
    };
    add({ path: '/oldest', method: 'PUT' });
    addGroups(10);
    clock.advance(1_001);
    // The group of these two is read before the piece ends, but one of them is older than what the piece ends with.
    add({ path: '/overlapping', method: 'PUT' }, { tokenId: 'another' });
    clock.advance(1);
    add({ path: '/last of the piece', method: 'PUT' });
    clock.advance(1);
    add({ path: '/other' }, { tokenId: 'another' });
    addGroups(2_037);
    clock.advance(1_001);
    add({ path: '/newest', method: 'PUT' });
    addGroups(10);
    await write();
    const first = await list({ method: 'PUT' });
    assert.deepEqual(pathsOf(first.rows), ['/newest', '/last of the piece']);
    const second = await list({ method: 'PUT', cursor: first.nextCursor ?? '' });
    assert.deepEqual(pathsOf(second.rows), ['/overlapping', '/oldest']);
    assert.equal(second.nextCursor, null);
  });

  test('has each request by its ID, for its own team, as long as it is listed', async () => {
    const { add, write, list, find, handOut } = await open();
    const other = await open();
    add({ path: '/one' });
    add({ path: '/two' });
    clock.advance(1);
    await handOut();
    await write();
    const { rows } = await list();
    assert.equal(rows.length, 3);
    for (const row of rows) {
      assert.deepEqual(await find(row.id), row);
      assert.equal(await other.find(row.id), null);
    }
    for (const id of ['', 'unknown', 'ffffffff-ffff-ffff-ffff-ffffffffffff', stage.app.newId()])
      assert.equal(await find(id), null, id);
    clock.advance(7 * 24 * 3_600_000 + 1_001);
    for (const { id } of rows) assert.equal(await find(id), null);
  });
});
