// Attack: the file of who had access counts twice, or names those who came after the stop.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { deleteGroupsBefore } from '../../src/integrations/request-log/request-group-store.ts';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Headers = Record<string, string>;

onEachEngine('who could have had what was contained', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const makeToken = async (headers: Headers, name: string) => {
    const made = await stage.ask('POST', '/api/tokens', headers, { name });
    const { id, token } = made.json<{ id: string; token: string }>();
    return { id, headers: { authorization: `Bearer ${token}` } };
  };

  /** The lines about a connection: how, the token, and how often. */
  const exposureOf = async (headers: Headers, id: string): Promise<string[]> => {
    await stage.app.integrations.containments.flushUses();
    const { body } = await stage.ask('GET', `/api/containments/${id}/exposure.csv`, headers);
    const [head = '', ...lines] = body.trim().split(/\r?\n/);
    const columns = head.split(',');
    return lines
      .map((line) => {
        const cells = line.split(',');
        const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
        return [cell('connection'), cell('how'), cell('tokenName'), cell('count')].join(' ');
      })
      .sort();
  };

  const timesOf = async (headers: Headers, id: string): Promise<string[]> => {
    const { body } = await stage.ask('GET', `/api/containments/${id}/exposure.csv`, headers);
    return [...body.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)].map(([time]) => time);
  };

  test('is counted once, whichever of the records has it', async () => {
    const { at, headers } = await stage.connected();
    const token = await makeToken(headers, 'program');
    for (let count = 0; count < 3; count++) assert.equal(await stage.proxyProblem(token.headers), null);
    await at.token(PROVIDER);
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    assert.deepEqual(await exposureOf(headers, id), ['default handed_out test 1', 'default requests program 3']);
  });

  test('is known by the counts where the log has lost it', async () => {
    const { headers } = await stage.connected();
    const token = await makeToken(headers, 'program');
    for (let count = 0; count < 3; count++) assert.equal(await stage.proxyProblem(token.headers), null);
    await stage.app.integrations.containments.flushUses();
    stage.clock.advance(10 * DAY_MS);
    await deleteGroupsBefore(stage.app.database, stage.clock.now() - 7 * DAY_MS);
    for (let count = 0; count < 2; count++) assert.equal(await stage.proxyProblem(token.headers), null);
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    assert.deepEqual(await exposureOf(headers, id), [
      'default requests program 2',
      'default requests_by_hour program 3',
    ]);
  });

  test('is nobody who came after the stop', async () => {
    const { at, headers } = await stage.connected();
    const before = await makeToken(headers, 'before');
    assert.equal(await stage.proxyProblem(before.headers), null);
    const startedAt = stage.clock.now();
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    assert.equal(await stage.proxyProblem(before.headers), 'integrations.contained');
    await at.refusedToken(PROVIDER, 409);
    const after = await makeToken(headers, 'after');
    await at.connect(PROVIDER, stage.newAccount());
    for (const one of [before, after]) assert.equal(await stage.proxyProblem(one.headers), null);
    await at.token(PROVIDER);
    stage.clock.advance(HOUR_MS);
    assert.equal(await stage.proxyProblem(after.headers), null);
    assert.deepEqual(await exposureOf(headers, id), ['default requests before 1']);
    for (const time of await timesOf(headers, id)) assert.ok(Date.parse(time) <= startedAt, time);
  });

  test('is somebody whose request was under way when it was stopped', async () => {
    const { headers } = await stage.connected();
    const token = await makeToken(headers, 'exporting');
    stage.api.answer((incoming, response) => {
      incoming.resume();
      response.write('the first piece');
    });
    const request = stage.begin(stage.proxied('export'), { headers: token.headers });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).resume();
    const id = await stage.contain(headers, { provider: PROVIDER });
    stage.clock.advance(1);
    await waitUntil('it has ended', () => response.destroyed, 5_000);
    stage.api.reset();
    await stage.doDue();
    assert.deepEqual(await exposureOf(headers, id), ['default requests exporting 1']);
  });

  test('is listed for a token that is stopped alone: what that reached, and nobody else', async () => {
    const { team, at, headers } = await stage.connected();
    for (const connection of ['asked', 'other']) await at.connect(PROVIDER, stage.newAccount(), { connection });
    const lost = await makeToken(headers, 'lost');
    assert.equal(await stage.proxyProblem(lost.headers, 'default'), null);
    assert.equal(await stage.proxyProblem(headers, 'default'), null);
    assert.equal(await stage.proxyProblem(headers, 'other'), null);
    const url = `/api/integrations/${PROVIDER}/token?connection=asked`;
    assert.equal((await stage.ask('POST', url, lost.headers)).statusCode, 200);
    const rowOf = (name: string) => stage.row(team.id, PROVIDER, name);
    const [due, asked] = [(await rowOf('default')).refreshDueAt, (await rowOf('asked')).verifyDueAt];
    const id = await stage.contain(headers, { token: lost.id });
    await stage.doDue();
    const { state, listing, stopsConnections, connections } = await stage.get(headers, id);
    assert.deepEqual([state, listing, stopsConnections], ['active', false, false]);
    assert.deepEqual(connections.map(({ connection, state: access }) => [connection, access]).sort(), [
      ['asked', null],
      ['default', null],
    ]);
    assert.deepEqual(await exposureOf(headers, id), ['asked handed_out lost 1', 'default requests lost 1']);
    assert.equal(await stage.proxyProblem(headers, 'default'), null, 'It goes on for others.');
    assert.deepEqual([(await rowOf('default')).refreshDueAt, (await rowOf('asked')).verifyDueAt], [due, asked]);
    const dryRun = await stage.tryToContain(headers, { token: lost.id, dryRun: true });
    assert.equal(dryRun.json().connections, 0);
    await stage.lift(headers, id);
    assert.equal((await stage.ask('GET', '/api/team', lost.headers)).statusCode, 200);
  });
});
