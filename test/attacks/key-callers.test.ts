import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('whoever must not use a key', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  test('a stranger stores nothing, and the provider hears nothing', async () => {
    const key = { fields: { api_key: stage.newKey() } };
    for (const headers of [{}, { authorization: 'Bearer undefined' }, { authorization: 'Bearer pb_x_y' }])
      assert.equal((await stage.put(headers, 'keyed', key)).status, 401);
    assert.deepEqual(stage.api.received, []);
  });

  test('another team neither sees nor uses it', async () => {
    const [one, other] = [await stage.newTeam(), await stage.newTeam()];
    await stage.connectKey(one.admin.headers, 'keyed', { fields: { api_key: stage.newKey('ada') } });
    stage.api.received.length = 0;
    assert.equal((await other.at.status('keyed')).status, 'disconnected');
    const used = await stage.ask('GET', '/api/integrations/keyed/proxy/x', other.admin.headers);
    assert.deepEqual([used.status, problemIn(used)], [409, 'integrations.not_connected']);
    await stage.connectKey(other.admin.headers, 'keyed', { fields: { api_key: stage.newKey('eve') } });
    assert.equal((await one.at.status('keyed')).account?.id, 'ada');
    assert.equal(await other.at.disconnect('keyed'), 'unsupported');
    assert.equal((await one.at.status('keyed')).status, 'connected');
  });

  test('a key that was moved to another team, connection, or column does not open', async () => {
    const [one, other] = [await stage.newTeam(), await stage.newTeam()];
    await stage.connectKey(one.admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    await stage.connectKey(one.admin.headers, 'keyed', { fields: { api_key: stage.newKey() }, connection: 'work' });
    await stage.connectKey(other.admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    const { accessToken } = await stage.row(one.team.id, 'keyed');
    const put = (id: string) =>
      stage.app.database.run('update connections set access_token = $1 where id = $2', [accessToken, id]);
    await put((await stage.row(other.team.id, 'keyed')).id);
    await put((await stage.row(one.team.id, 'keyed', 'work')).id);
    stage.api.received.length = 0;
    stage.clock.advance(1_000);
    for (const [headers, query] of [
      [other.admin.headers, ''],
      [one.admin.headers, '?connection=work'],
    ] as const) {
      const used = await stage.ask('GET', `/api/integrations/keyed/proxy/x${query}`, headers);
      assert.deepEqual([used.status, problemIn(used)], [409, 'integrations.needs_reconnect']);
    }
    assert.deepEqual(stage.api.received, []);
    stage.clock.advance(24 * 3_600_000);
    await stage.app.integrations.verifyDue();
    assert.equal((await other.at.status('keyed')).reason, 'unreadable');
  });

  test('a connect session stores keys of its own providers only, and uses none', async () => {
    const key = `keys-${engine}-${stage.app.newId()}`;
    await putCustomer(stage, key);
    const session = await createConnectSession(stage, key, { providers: ['keyed'] });
    const fields = { api_key: stage.newKey() };
    assert.equal((await stage.put(session.headers, 'keyed-bearer', { fields })).status, 403);
    assert.deepEqual(stage.api.received, []);
    await stage.connectKey(session.headers, 'keyed', { fields });
    assert.equal((await stage.ask('GET', '/api/integrations/keyed/proxy/x', session.headers)).status, 403);
    assert.equal((await stage.ask('POST', '/api/integrations/keyed/token', session.headers)).status, 403);
  });

  test('a member without admin rights does not use it through the proxy', async () => {
    const { member } = await stage.newTeam();
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    assert.equal((await stage.ask('GET', '/api/integrations/keyed/proxy/x', member.headers)).status, 403);
  });

  test('a caller cannot set the header or the query field that carries it, nor have placeholders filled in', async () => {
    const { admin } = await stage.newTeam();
    const key = stage.newKey();
    for (const provider of ['keyed', 'keyed-query', 'keyed-bearer'])
      await stage.connectKey(admin.headers, provider, { fields: { api_key: key } });
    stage.api.received.length = 0;
    const mine = { ...admin.headers, 'x-key': 'mine', x_key: 'mine', 'x-other': '{api_key}' };
    const body = { text: '{api_key}' };
    await stage.ask('POST', '/api/integrations/keyed/proxy/x?y=%7Bapi_key%7D', mine, body);
    await stage.ask('GET', '/api/integrations/keyed-query/proxy/x?api_key=mine&API%5FKEY=mine&b=1', admin.headers);
    const [inHeader, inQuery] = stage.api.received;
    assert.equal(inHeader?.headers['x-key'], key);
    assert.equal(inHeader?.headers['x_key'], undefined);
    assert.equal(inHeader?.headers['x-other'], '{api_key}');
    assert.equal(inHeader?.url, '/v1/x?y=%7Bapi_key%7D');
    assert.equal(inHeader?.body, '{"text":"{api_key}"}');
    assert.equal(inQuery?.url, `/v1/x?b=1&api_key=${key}`);
  });

  test('a member who is removed while the provider is being asked stores nothing', async () => {
    const { admin, member, at } = await stage.newTeam();
    const key = stage.newKey();
    stage.api.answer(async (incoming, response) => {
      await stage.api.note(incoming);
      const removed = await stage.ask('DELETE', `/api/members/${member.user.id}`, admin.headers);
      assert.equal(removed.status, 204);
      response.end('{}');
    });
    const reply = await stage.put(member.headers, 'keyed', { fields: { api_key: key } });
    assert.equal(reply.status, 401, reply.body);
    assert.equal(stage.verifications(), 1);
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('nothing is stored for a team that is deleted while the provider is being asked', async () => {
    const customer = `keys-${engine}-${stage.app.newId()}`;
    const { id: teamId } = await putCustomer(stage, customer);
    const session = await createConnectSession(stage, customer, { providers: ['keyed'] });
    stage.api.answer(async (_incoming, response) => {
      await stage.ask('DELETE', `/api/operator/teams/${customer}`, OPERATOR);
      response.end('{}');
    });
    const reply = await stage.put(session.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    assert.ok(reply.status >= 400, reply.body);
    const rows = await stage.app.database.all('select 1 from connections where team_id = $1', [teamId]);
    assert.deepEqual(rows, []);
  });

  test('the limit on connections holds for keys, and the provider is not asked beyond it', async () => {
    const { team, admin } = await stage.newTeam();
    const key = stage.newKey();
    const most = stage.config.limits.connections;
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    const { id: connected } = await stage.row(team.id, 'keyed');
    for (let index = 1; index < most; index++)
      await stage.app.database.run(
        `insert into connections (id, team_id, provider, name, generation, status, details, client_id, client_of, authority,
          scopes_asked, access_token, connected_at, connected_by, failures, lease_number)
          select $1, team_id, provider, $2, 1, status, details, client_id, client_of, authority, scopes_asked, access_token,
            connected_at, connected_by, 0, 0 from connections where id = $3`,
        [stage.app.newId(), `n${index}`, connected],
      );
    stage.api.received.length = 0;
    const reply = await stage.put(admin.headers, 'keyed', { fields: { api_key: key }, connection: 'one-too-many' });
    assert.deepEqual([reply.status, problemIn(reply)], [409, 'integrations.connection_limit']);
    assert.deepEqual(stage.api.received, []);
  });
});
