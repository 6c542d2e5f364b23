import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { connectAgent, problemIn } from '../harness/agent.ts';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { JSON_ONLY } from '../harness/team-member.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HALF_A_LEASE_MS = 30_000;

onEachEngine('a contained account', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));
  const asking = { allow: [{ provider: PROVIDER, connection: 'default' }], writes: 'ask' };

  test('is not used by an agent, or by a session that asks for its token', async () => {
    const { admin, headers } = await stage.connected();
    const agent = await connectAgent(stage.port, await makeToken(stage.server, headers, asking));
    const { headers: cookie, csrfToken } = await openSession(stage, admin.user);
    const session = { ...cookie, 'x-csrf-token': csrfToken };
    await stage.contain(headers, { provider: PROVIDER });
    const called = await agent.call('call_api', { provider: PROVIDER, method: 'GET', path: '/contacts' });
    assert.equal(problemIn(called).code, 'integrations.contained');
    await agent.close();
    const url = `/api/integrations/${PROVIDER}/token`;
    const asked = await stage.server.inject({ method: 'POST', url, headers: session });
    assert.deepEqual([asked.statusCode, asked.json().code], [409, 'integrations.contained']);
  });

  test('is not used by a request that was waiting for an approval, nor by one that was approved too late', async () => {
    const { headers } = await stage.connected();
    const token = await makeToken(stage.server, headers, asking);
    const sent = await stage.call(stage.proxied('contacts'), { method: 'POST', headers: token, body: '{}' });
    const { id } = JSON.parse(sent.body).approval;
    const received = stage.api.received.length;
    await stage.contain(headers, { provider: PROVIDER });
    const approved = await stage.ask('POST', `/api/approvals/${id}/approve`, headers);
    assert.deepEqual([approved.statusCode, approved.json().state], [200, 'refused']);
    assert.match(approved.json().problem, /leaked/);
    assert.equal(stage.api.received.length, received);
  });

  test('ends a response that another process is still passing on, within a second', async () => {
    const { headers } = await stage.connected();
    let ended = false;
    stage.api.answer((incoming, response) => {
      incoming.resume();
      response.write('the first piece');
      response.on('close', () => {
        ended = true;
      });
    });
    const request = stage.begin(stage.proxied('export'), { headers });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).resume();
    const other = await stage.openOther();
    const begun = await other.ask('POST', '/api/containments', headers, { reason: 'stolen', provider: PROVIDER });
    assert.equal(begun.status, 201, begun.body);
    await waitUntil('the response has ended on both sides', () => ended && response.destroyed, 1_000);
    assert.equal(response.complete, false, 'It must not look complete.');
    stage.api.reset();
  });

  test('is not connected by what was begun before, and its code is never exchanged', async () => {
    const { at, headers } = await stage.connected();
    const begun = await at.goToProvider(PROVIDER, stage.newAccount(), { connection: 'other' });
    const exchanges = stage.oauth.count('code');
    stage.clock.advance(1_000);
    await stage.contain(headers, { provider: PROVIDER });
    const arrived = await stage.ask('GET', begun.path, { ...JSON_ONLY, cookie: begun.cookie });
    assert.deepEqual([arrived.statusCode, arrived.json().code], [409, 'integrations.contained']);
    assert.equal(stage.oauth.count('code'), exchanges);
    stage.clock.advance(1_000);
    const again = await at.tryConnect(PROVIDER, stage.newAccount(), { connection: 'other' });
    assert.equal(again.status, 200, again.body);
  });

  test('is not connected by what the provider is just issuing, which is revoked', async () => {
    const { at, headers } = await stage.connected();
    const begun = await at.goToProvider(PROVIDER, stage.newAccount(), { connection: 'late' });
    const held = stage.oauth.hold('code', 'after');
    const arriving = stage.ask('GET', begun.path, { ...JSON_ONLY, cookie: begun.cookie });
    await held.arrived;
    await stage.contain(headers, { provider: PROVIDER, revoke: true });
    held.release();
    assert.equal((await arriving).json().code, 'integrations.contained');
    const issued = stage.oauth.issued.at(-1);
    assert.ok(issued);
    for (const token of [issued.accessToken, issued.refreshToken])
      assert.equal(await stage.oauth.isActive(token), false);
  });

  test('has what a refresh under way brings back revoked, too', async () => {
    const { team, at, headers } = await stage.connected();
    const { app } = stage;
    await app.database.run('update connections set expires_at = $2, refresh_due_at = $2 where team_id = $1', [
      team.id,
      stage.clock.now(),
    ]);
    const held = stage.oauth.hold('refresh', 'after');
    const refused = at.refusedToken(PROVIDER, 409);
    await held.arrived;
    const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.deepEqual(
      (await stage.get(headers, id)).connections.map((one) => one.state),
      ['pending'],
      'The refresh has its lease.',
    );
    stage.clock.advance(HALF_A_LEASE_MS);
    await stage.doDue();
    held.release();
    assert.equal((await refused).code, 'integrations.contained');
    await stage.doDue();
    const { state, connections } = await stage.get(headers, id);
    assert.deepEqual([state, connections.map((one) => one.state)], ['finished', ['revoked']]);
    for (const { accessToken, refreshToken } of stage.oauth.issued.slice(-2))
      for (const token of [accessToken, refreshToken]) assert.equal(await stage.oauth.isActive(token), false);
  });

  test('is not refreshed or verified meanwhile', async () => {
    const { team, headers } = await stage.connected();
    const { integrations, database } = stage.app;
    await stage.contain(headers, { provider: PROVIDER });
    const due = stage.clock.now();
    await database.run('update connections set refresh_due_at = $2, verify_due_at = $2 where team_id = $1', [
      team.id,
      due,
    ]);
    const asked = stage.oauth.seen.length;
    await integrations.refreshDue();
    await integrations.verifyDue();
    assert.equal(stage.oauth.seen.length, asked);
    await stage.doDue();
    const row = await stage.row(team.id, PROVIDER);
    assert.ok((row.refreshDueAt ?? 0) > due && row.verifyDueAt === null, 'It makes nobody else wait.');
  });

  test('is only the team’s own', async () => {
    const { headers } = await stage.connected();
    const other = await stage.connected();
    const made = await stage.ask('POST', '/api/tokens', other.headers, { name: 'of others' });
    const { id: tokenId, token } = made.json<{ id: string; token: string }>();
    for (const [asked, status] of [
      [{ token: tokenId }, 404],
      [{ team: other.team.id, provider: PROVIDER }, 400],
      [{ provider: 'nobody-knows-it' }, 404],
      [{ provider: PROVIDER, connectedBefore: 'yesterday' }, 400],
      [{ reason: ' ', provider: PROVIDER }, 400],
    ] as const) {
      const refused = await stage.tryToContain(headers, asked);
      assert.equal(refused.statusCode, status, refused.body);
    }
    for (const [asked, status] of [
      [{}, 400],
      [{ team: 'nobody' }, 404],
    ] as const)
      assert.equal((await stage.tryToContain(OPERATOR, asked)).statusCode, status);
    await stage.contain(headers, { provider: PROVIDER });
    assert.equal(await stage.proxyProblem(other.headers), null);
    assert.equal((await stage.ask('GET', '/api/team', { authorization: `Bearer ${token}` })).statusCode, 200);
  });

  test('shows no secret in its ledger, its files, or the log', async () => {
    const { team, at, headers } = await stage.connected();
    const accessToken = await at.token(PROVIDER);
    assert.equal(await stage.proxyProblem(headers), null);
    const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    await stage.app.integrations.containments.flushUses();
    const path = `/api/containments/${id}`;
    const ledger = await stage.server.inject({ url: path, headers: { ...headers, accept: 'text/csv' } });
    const exposure = await stage.ask('GET', `${path}/exposure.csv`, headers);
    assert.match(ledger.body, new RegExp(`^team,teamKey,provider.*\r?\n.*${PROVIDER},default,.*,revoked,`));
    const [head = '', ...lines] = exposure.body.trim().split(/\r?\n/);
    assert.match(head, /^team,teamKey,provider,connection/);
    assert.deepEqual(lines.map((line) => line.split(',')[6]).sort(), ['handed_out', 'requests'], exposure.body);
    const issued = stage.oauth.issued.flatMap((one) => [one.accessToken, one.refreshToken]);
    const said = [
      ledger.body,
      exposure.body,
      (await stage.ask('GET', path, headers)).body,
      JSON.stringify(stage.lines),
    ];
    for (const secret of [accessToken, ...issued, headers.authorization.split(' ')[1] ?? ''])
      for (const text of said) assert.ok(!text.includes(secret));
    const rows = await stage.app.database.all('select * from contained_connections where team_id = $1', [team.id]);
    assert.equal(rows.length, 1);
  });
});
