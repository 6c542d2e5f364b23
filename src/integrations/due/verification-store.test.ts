import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openConnectionRows } from '../../../test/harness/connection-rows.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { findScans, findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import type { Connection } from '../connections/connection.ts';
import { listConnections } from '../connections/connection-store.ts';
import { listProvidersWith } from './due-store.ts';
import { claimVerification, listUnverified, makeUnverified, noteHandOut } from './verification-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = Date.parse('2026-11-15T12:00:00Z');

onEachEngine('keys that are verified now', (engine) => {
  const rows = useStage(() => openConnectionRows(engine));
  const database = prepare(async () => rows.database);
  afterEach(() => rows.clear());

  test('include those that wait for a time too far ahead, behind those that are due', async () => {
    await rows.put('impossible', { verifyDueAt: NOW + 2 * DAY_MS });
    await rows.put('due', { verifyDueAt: NOW });
    await rows.put('tomorrow', { verifyDueAt: NOW + DAY_MS });
    const listNames = async (limit: number) =>
      (await listUnverified(database, { provider: 'acme', now: NOW, limit })).map(({ name }) => name);
    assert.deepEqual(await listNames(10), ['due', 'impossible']);
    assert.deepEqual(await listNames(1), ['due']);
  });

  test('are claimed by one, as they were read', async () => {
    const row = await rows.put('key', { generation: 2, verifyDueAt: NOW });
    const outdated = [{ generation: 1 }, { verifyDueAt: NOW - 1 }, { teamId: 'other' }, { id: 'another' }];
    for (const change of outdated)
      assert.equal(
        await claimVerification(database, { ...row, ...change }, NOW + MINUTE_MS),
        0,
        JSON.stringify(change),
      );
    assert.equal(await claimVerification(database, row, NOW + MINUTE_MS), 1);
    assert.equal(await claimVerification(database, row, NOW + MINUTE_MS), 0, 'Somebody else was faster.');
  });

  test('include a refused one at most once a minute, as it was read, and only if it is not due anyway', async () => {
    const row = await rows.put('key', { generation: 2, verifyDueAt: NOW + DAY_MS });
    const refuse = (change: Partial<Connection>, now = NOW) =>
      makeUnverified(database, { ...row, ...change }, { now, notSince: now - MINUTE_MS });
    for (const change of [{ generation: 1 }, { teamId: 'other' }, { id: 'another' }])
      assert.equal(await refuse(change), 0, JSON.stringify(change));
    assert.equal(await refuse({}), 1);
    assert.equal(await refuse({}, NOW + MINUTE_MS), 0, 'It is due already.');
    const [due] = await listConnections(database, row.teamId);
    assert.deepEqual([due?.verifyDueAt, due?.renewedAt], [NOW, NOW]);
    await claimVerification(database, { ...row, verifyDueAt: NOW }, NOW + DAY_MS);
    assert.equal(await refuse({}, NOW + MINUTE_MS - 1), 0);
    assert.equal(await refuse({}, NOW + MINUTE_MS), 1);
    await claimVerification(database, { ...row, verifyDueAt: NOW + MINUTE_MS }, NOW + DAY_MS);
    assert.equal(await refuse({}, NOW), 1, 'The clock was set back.');
  });

  test('note a hand-out once in a while, of their own team', async () => {
    const row = await rows.put('token');
    const note = (now: number, change = {}) =>
      noteHandOut(database, { ...row, ...change }, { now, everyMs: MINUTE_MS });
    assert.equal(await note(NOW, { teamId: 'other' }), 0);
    assert.equal(await note(NOW), 1);
    assert.equal(await note(NOW + MINUTE_MS - 1), 0);
    assert.equal(await note(NOW + MINUTE_MS), 1);
    assert.equal(await note(NOW), 1, 'The clock was set back.');
  });

  test('are found and claimed through an index', async () => {
    const { database: watched, statements } = rememberStatements(database);
    const row = await rows.put('due', { verifyDueAt: NOW });
    await listProvidersWith(watched, 'verify_due_at');
    await listUnverified(watched, { provider: 'acme', now: NOW, limit: 60 });
    await claimVerification(watched, row, NOW + MINUTE_MS);
    await makeUnverified(watched, row, { now: NOW, notSince: NOW - MINUTE_MS });
    await noteHandOut(watched, row, { now: NOW, everyMs: MINUTE_MS });
    assert.ok(statements.length >= 6);
    // The list of providers is read as a whole.
    for (const statement of statements) {
      const scans = await findScans(database, statement);
      assert.deepEqual(
        scans.filter((scan) => !/\bknown\b/.test(scan)),
        [],
        statement.text,
      );
    }
    for (const statement of statements.slice(0, 3))
      assert.match((await findSearches(database, statement)).join(), /connections_verify_due/);
  });
});
