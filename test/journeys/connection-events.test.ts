import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { changeStanding } from '../../src/integrations/connections/change-standing.ts';
import { dumpPostgresql, findCanaries, readFiles } from '../harness/canaries.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { breakTransactions, followEvents } from '../harness/follow-events.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { invalidGrant, serverError } from '../harness/oauth-server/faults.ts';
import { OPERATOR, SERVICE_URL, TEAM } from '../harness/oauth-server.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From here on, a token with a lifetime of an hour is due; it still works. */
const DUE_MS = HOUR_MS - 4 * MINUTE_MS;
const url = `${SERVICE_URL}/api/integrations/status`;

onOneEngine('what happens to a connection', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  const { refreshDue, verifyDue } = {
    refreshDue: () => stage.app.integrations.refreshDue(),
    verifyDue: () => stage.app.integrations.verifyDue(),
  };
  afterEach(async () => {
    stage.mend();
    stage.oauth.mend();
    await stage.removeConnections();
  });

  const openTeam = async () => {
    const made = await stage.newTeam();
    return { ...made, log: await followEvents(stage.server, made.member.headers) };
  };

  const connect = async () => {
    const made = await openTeam();
    const account = stage.newAccount();
    await made.at.connect('acme', account);
    await made.log.next();
    return { ...made, account };
  };

  const refreshLater = async (ms = DUE_MS) => {
    stage.clock.advance(ms);
    await refreshDue();
  };

  test('is recorded when it begins, each time it is renewed by hand, and when it ends', async () => {
    const { at, team, admin, log } = await openTeam();
    const account = stage.newAccount();
    await at.connect('acme', account);
    const [connected, ...none] = await log.next();
    assert.deepEqual(none, []);
    assert.equal(connected?.type, 'connection.connected');
    assert.deepEqual(connected.data, { ...(await at.status('acme')), url });
    assert.deepEqual((connected.data as { connectedBy: object }).connectedBy, {
      id: admin.user.id,
      key: null,
      label: admin.user.email,
    });
    const { id } = await stage.row(team.id, 'acme');

    await at.connect('acme', account);
    const [reconnected, ...more] = await log.next();
    assert.deepEqual([reconnected?.type, more], ['connection.reconnected', []]);
    assert.deepEqual(reconnected?.data, { ...(await at.status('acme')), url, previousAccount: null });
    const { account: previousAccount } = await at.status('acme');
    await at.connect('acme', stage.newAccount());
    const [replaced] = await log.next();
    assert.deepEqual(replaced?.data, { ...(await at.status('acme')), url, previousAccount });

    await at.connect('acme', stage.newAccount(), { connection: 'work' });
    assert.deepEqual(await log.nextTypes(), ['connection.connected']);
    await at.disconnect('acme', 'default');
    assert.equal(await at.disconnect('acme', 'default'), 'not_connected');
    const [disconnected, ...others] = await log.next();
    assert.deepEqual([disconnected?.type, others], ['connection.disconnected', []]);
    await at.disconnect('acme', 'work');
    assert.deepEqual(disconnected?.data, { ...(await at.status('acme')), url });
    const about = await stage.app.database.all('select id from events where team_id = $1 and subject = $2', [
      team.id,
      id,
    ]);
    assert.equal(about.length, 4, 'They are all about the same connection.');
  });

  test('is recorded when refreshes fail and when they work again, once each', async () => {
    const { at, log } = await connect();
    await refreshLater();
    assert.deepEqual(await log.next(), [], 'A refresh that works is no news.');
    stage.oauth.fail('refresh', serverError);
    await refreshLater();
    const [degraded, ...none] = await log.next();
    assert.deepEqual([degraded?.type, none], ['connection.degraded', []]);
    assert.deepEqual(degraded?.data, { ...(await at.status('acme')), url });
    assert.equal(degraded.data['reason'], 'provider_unavailable');
    stage.oauth.fail('refresh', serverError);
    await refreshLater(HOUR_MS);
    assert.deepEqual(await log.next(), [], 'It was degraded before.');
    await refreshLater(HOUR_MS);
    const [recovered, ...more] = await log.next();
    assert.deepEqual([recovered?.type, more], ['connection.recovered', []]);
    assert.deepEqual(recovered?.data, { ...(await at.status('acme')), url });
  });

  test('is recorded when the provider has withdrawn access, and a reconnect repairs it', async () => {
    const { at, account, log } = await connect();
    stage.oauth.fail('refresh', serverError);
    await refreshLater();
    stage.oauth.fail('refresh', invalidGrant);
    await refreshLater(HOUR_MS);
    const [degraded, needsReconnect, ...none] = await log.next();
    assert.deepEqual([degraded?.type, needsReconnect?.type], ['connection.degraded', 'connection.needs_reconnect']);
    assert.deepEqual(none, []);
    assert.deepEqual(needsReconnect?.data, { ...(await at.status('acme')), url });
    await refreshLater(DAY_MS);
    assert.deepEqual(await log.next(), []);
    await at.connect('acme', account);
    assert.deepEqual(await log.nextTypes(), ['connection.reconnected']);
  });

  test('is recorded when a new OAuth app of the team cannot refresh it', async () => {
    const { at, log, admin } = await openTeam();
    const put = (client: { id: string; secret: string }) =>
      stage.ask('PUT', '/api/integrations/acme/credentials', admin.headers, {
        clientId: client.id,
        clientSecret: client.secret,
      });
    await put(TEAM);
    await at.connect('acme', stage.newAccount());
    assert.deepEqual(await log.nextTypes(), ['connection.connected']);
    await put(OPERATOR);
    assert.deepEqual(await log.next(), [], 'It still works.');
    await refreshLater();
    assert.deepEqual(await log.nextTypes(), ['connection.degraded']);
    assert.equal((await at.status('acme')).reason, 'client_replaced');
    await put(TEAM);
    await refreshLater(HOUR_MS);
    assert.deepEqual(await log.nextTypes(), ['connection.recovered']);
  });

  test('is recorded when a key is entered, rejected, accepted again, replaced and removed', async () => {
    const { at, member, log } = await openTeam();
    const key = stage.newKey('ada');
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: key } });
    const [connected] = await log.next();
    assert.equal(connected?.type, 'connection.connected');
    assert.deepEqual(connected.data, { ...(await at.status('keyed')), url });
    assert.equal((await stage.put(member.headers, 'keyed', { fields: { api_key: 'wrong' } })).status, 422);
    stage.clock.advance(DAY_MS);
    await verifyDue();
    assert.deepEqual(await log.next(), [], 'It was accepted, as before.');
    stage.endKey(key);
    stage.clock.advance(DAY_MS);
    await verifyDue();
    const [rejected, ...none] = await log.next();
    assert.deepEqual([rejected?.type, none], ['connection.needs_reconnect', []]);
    assert.deepEqual(rejected?.data, { ...(await at.status('keyed')), url });
    stage.clock.advance(DAY_MS);
    await verifyDue();
    assert.deepEqual(await log.next(), [], 'It was rejected before.');
    const again = stage.newKey('ada');
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: again } });
    await at.disconnect('keyed');
    assert.deepEqual(await log.nextTypes(), ['connection.reconnected', 'connection.disconnected']);
  });

  test('says which user of the operator has connected it, by their key', async () => {
    const key = `events-${engine}`;
    await putCustomer(stage, key);
    const { headers } = asCustomer(key, 'u1');
    const log = await followEvents(stage.server, headers);
    await stage.connectKey(headers, 'keyed', { fields: { api_key: stage.newKey() } });
    const [connected] = await log.next();
    const { integrations } = JSON.parse((await stage.ask('GET', '/api/integrations/status', headers)).body);
    const entry = integrations.find(({ provider }: { provider: string }) => provider === 'keyed');
    assert.deepEqual(connected?.data, { ...entry, url });
    assert.equal(entry.connectedBy.key, 'u1');
    assert.equal(connected?.team.key, key);
  });

  test('is recorded when a rejected key works again', async () => {
    const { member, log } = await openTeam();
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.api.answer((_, response) => response.writeHead(401).end());
    stage.clock.advance(DAY_MS);
    await verifyDue();
    stage.mend();
    stage.clock.advance(DAY_MS);
    await verifyDue();
    assert.deepEqual(await log.nextTypes(), [
      'connection.connected',
      'connection.needs_reconnect',
      'connection.recovered',
    ]);
  });

  test('is recorded once, however many processes notice it at the same time', async () => {
    const { at, team, log } = await connect();
    const other = await stage.openOther();
    const row = await stage.row(team.id, 'acme');
    const contexts = [stage.app, other.app].map((app) => ({ ...app, catalogue: new Map() }));
    const broken = { status: 'needs_reconnect', reason: 'revoked_or_expired', lastError: 'Gone.' } as const;
    await Promise.all([...contexts, ...contexts].map((context) => changeStanding(context, row, broken)));
    assert.deepEqual(await log.nextTypes(), ['connection.needs_reconnect']);
    await Promise.all([at.disconnect('acme'), at.disconnect('acme'), at.disconnect('acme')]);
    assert.deepEqual(await log.nextTypes(), ['connection.disconnected']);
  });

  test('leaves no event if the change itself is rolled back', async () => {
    const { at, account, log } = await connect();
    const { mend } = breakTransactions(stage.app);
    try {
      await at.tryConnect('acme', account);
      await stage.ask('POST', '/api/integrations/acme/disconnect', at.headers);
      stage.oauth.fail('refresh', invalidGrant);
      await refreshLater();
    } finally {
      mend();
    }
    assert.deepEqual(await log.next(), []);
    assert.equal((await at.status('acme')).status, 'connected');
  });

  test('is recorded without tokens and keys, and nothing about it can be read in the database', async () => {
    const { at, member, log } = await openTeam();
    const account = stage.newAccount();
    const key = stage.newKey(`key-of-${account}`);
    await at.connect('acme', account);
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: key } });
    const token = await at.token('acme');
    const { refreshToken = '' } = stage.oauth.issued.at(-1) ?? {};
    const secrets = { token, refreshToken, key };
    assert.deepEqual(findCanaries(secrets, { events: JSON.stringify(await log.next()) }), []);
    const databaseUrl = stage.config.databaseUrl?.reveal();
    const rows = databaseUrl ? await dumpPostgresql(databaseUrl) : readFiles(stage.config.data);
    assert.deepEqual(findCanaries(secrets, rows), []);
    const events = await stage.app.database.all('select * from events');
    assert.deepEqual(findCanaries({ account }, { events: JSON.stringify(events) }), []);
  });
});
