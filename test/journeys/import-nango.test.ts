import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { ImportOptions } from '../../src/imports/nango/import-nango.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { only, openNangoStage, UUID } from '../harness/nango-stage.ts';
import { OPERATOR } from '../harness/oauth-server.ts';
import { providerSettings } from '../harness/provider-file.ts';
import { runCommand, runProgram, settingsOf } from '../harness/run-command.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const FAR = '2099-01-01T00:00:00.000Z';

onOneEngine('an import from Nango', (engine) => {
  const stage = useStage(() => openNangoStage(engine));
  afterEach(() => stage.reset());

  test('shows first what it would do, then does it, and the token is handed out and refreshed here', async () => {
    const customer = stage.newCustomer();
    const account = stage.newAccount();
    const held = await stage.addGrant(customer, {}, account);
    const teams = await stage.countRows('teams');

    const shown = await only(stage.run(false));
    assert.deepEqual(
      [shown.outcome, shown.customer, shown.provider, shown.connection],
      ['ready', customer, 'acme-full', UUID],
    );
    assert.deepEqual([await stage.countRows('teams'), await stage.countRows('connections')], [teams, 0]);

    assert.equal((await only(stage.run(true))).outcome, 'imported');
    const status = await stage.at(customer).status('acme-full', UUID);
    assert.deepEqual(
      [status.status, status.account?.id, status.connectedAt, status.scopes],
      ['connected', account, '2026-01-01T00:00:00.000Z', ['openid', 'email']],
    );
    assert.equal(await stage.at(customer).token('acme-full', UUID), held.access_token);

    stage.clock.advance(2 * HOUR_MS);
    const refreshed = await stage.at(customer).token('acme-full');
    assert.notEqual(refreshed, held.access_token);
    assert.equal(await stage.oauth.whoIs(refreshed), account);
    assert.equal(await stage.oauth.isActive(held.refresh_token), false, 'the one in Nango is spent');
  });

  test('is sealed on arrival, audited, and told as an event, with no secret anywhere', async () => {
    const customer = stage.newCustomer();
    const held = await stage.addGrant(customer);
    await stage.run(true);
    const { id } = await putCustomer(stage, customer);
    const row = await stage.row(id, 'acme-full', UUID);
    for (const secret of [held.access_token, held.refresh_token, stage.nango.key]) {
      assert.ok(!JSON.stringify(row).includes(secret));
      assert.ok(!JSON.stringify(stage.lines).includes(secret));
    }
    const audit = await stage.auditOf(asCustomer(customer).headers);
    assert.match(audit, /integration\.connect/);
    assert.match(audit, /nango/);
    const { events } = JSON.parse((await stage.ask('GET', '/api/events', asCustomer(customer).headers)).body);
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['connection.connected'],
    );
  });

  test('done again changes nothing, even if Nango has refreshed its own since', async () => {
    const customer = stage.newCustomer();
    const held = await stage.addGrant(customer);
    await stage.run(true);
    const before = await stage.app.database.all('select * from connections');
    Object.assign(stage.nango.connections[0]?.credentials ?? {}, { access_token: 'other', refresh_token: 'other' });
    for (const apply of [false, true]) assert.equal((await only(stage.run(apply))).outcome, 'present');
    assert.deepEqual(await stage.app.database.all('select * from connections'), before);
    assert.equal(await stage.at(customer).token('acme-full'), held.access_token);
  });

  test('repairs a connection that was lost to Nango, but not one that was connected here since', async () => {
    const customer = stage.newCustomer();
    const account = stage.newAccount();
    await stage.addGrant(customer, {}, account);
    await stage.run(true);
    await stage.app.database.run("update connections set status = 'needs_reconnect', refresh_due_at = null");
    assert.equal((await only(stage.run(true))).outcome, 'present', 'the same tokens are no help');
    const { access_token, refresh_token } = await stage.grantOf(account);
    Object.assign(stage.nango.connections[0]?.credentials ?? {}, { access_token, refresh_token });
    await stage.app.database.run('update connections set connected_at = connected_at + 1');
    assert.equal((await only(stage.run(true))).outcome, 'present');
    await stage.app.database.run('update connections set connected_at = connected_at - 1');
    assert.equal((await only(stage.run(false))).outcome, 'ready');
    assert.equal((await only(stage.run(true))).outcome, 'imported');
    assert.equal(await stage.at(customer).token('acme-full'), access_token);
    assert.equal(await stage.countRows('revocations'), 0, 'what gives way is not revoked');
  });

  for (const [what, changes] of [
    ['is connected', "status = 'connected'"],
    ['was connected and lost', "status = 'needs_reconnect', refresh_due_at = null"],
  ] as const)
    test(`leaves alone what ${what} here while the provider is asked whose it is`, async () => {
      const customer = stage.newCustomer();
      const account = stage.newAccount();
      await stage.addGrant(customer, {}, account);
      const held = stage.oauth.hold('userinfo', 'after');
      const running = only(stage.run(true));
      await held.arrived;
      await stage.at(customer).connect('acme-full', account, { connection: UUID });
      await stage.app.database.run(`update connections set ${changes}`);
      const connected = await stage.app.database.all('select * from connections');
      held.release();
      assert.equal((await running).outcome, 'present');
      assert.deepEqual(await stage.app.database.all('select * from connections'), connected);
    });

  if (engine === 'sqlite')
    test('counts a connection that was created in the future, according to Nango, as connected now', async () => {
      const customer = stage.newCustomer();
      await stage.addGrant(customer);
      Object.assign(stage.nango.connections[0] ?? {}, { created: FAR });
      const now = new Date(stage.clock.now()).toISOString();
      assert.equal((await only(stage.run(true))).outcome, 'imported');
      assert.equal((await stage.at(customer).status('acme-full', UUID)).connectedAt, now);
    });

  test('goes into one team if that is asked for, whoever it belongs to', async () => {
    const { team, at: member } = await stage.newTeam();
    const held = await stage.addGrant(stage.newCustomer());
    const imported = await only(stage.run(true, { teamId: team.id }));
    assert.deepEqual([imported.outcome, imported.customer], ['imported', null]);
    assert.equal(await member.token('acme-full', UUID), held.access_token);
  });

  test('finds the customer in tags, in the older end user, in a tag of one’s own, or in the connection', async () => {
    const [first, second, third] = [stage.newCustomer(), stage.newCustomer(), stage.newCustomer()];
    await stage.addGrant(first);
    const [connection] = stage.nango.connections;
    assert.ok(connection);
    const customerOf = async (changes: object, options: Partial<ImportOptions> = {}) => {
      Object.assign(connection, { tags: {}, endUser: null }, changes);
      const { customer, reason } = await only(stage.run(false, options));
      return customer ?? reason?.code;
    };
    const endUser = { id: third, display_name: 'Ada', email: null };
    assert.equal(await customerOf({ endUser: { ...endUser, organization: { id: second } } }), second);
    assert.equal(await customerOf({ endUser: { ...endUser, organization: null } }), third);
    assert.equal(await customerOf({ tags: { end_user_id: first } }), first);
    assert.equal(
      await customerOf({ tags: { workspace: second } }, { source: { by: 'tag', tag: 'workspace' } }),
      second,
    );
    assert.equal(await customerOf({}, { source: { by: 'connection' } }), UUID);
    assert.equal(await customerOf({}), 'imports.no_customer');
    const refused = await only(stage.run(false));
    assert.equal(refused.outcome, 'refused');
    Object.assign(connection, { tags: { organization_id: 'with a space' } });
    assert.equal((await only(stage.run(true))).reason?.code, 'imports.customer_key_invalid');
  });

  test('keeps the name of a team that exists, and leaves a removed user out', async () => {
    const customer = stage.newCustomer();
    const { id } = await putCustomer(stage, customer);
    const person = `/api/operator/teams/${customer}/users/user-7`;
    await stage.ask('PUT', person, asCustomer(customer).headers, { name: 'Ada' });
    await stage.ask('DELETE', person, asCustomer(customer).headers);
    await stage.addGrant(customer);
    // A label that is no address, and can't even be stored, is left out.
    const unruly = { end_user_id: 'user-8', end_user_email: 'a\r\nBcc: b@example.com\0', end_user_display_name: 'A\0' };
    stage.nango.add({
      ...{ connectionId: 'c2', integration: 'acme-prod', tags: { organization_id: customer, ...unruly } },
      credentials: stage.nango.connections[0]?.credentials ?? {},
    });
    assert.deepEqual(
      (await stage.run(true)).map(({ outcome }) => outcome),
      ['imported', 'imported'],
    );
    const label = await stage.app.database.get<{ email: null }>("select email from users where name = 'A'");
    assert.equal(label?.email, null);
    const team = await stage.app.database.get<{ name: string }>('select name from teams where id = $1', [id]);
    assert.equal(team?.name, `The team of ${customer}`);
    assert.equal((await stage.ask('GET', '/api/team', asCustomer(customer, 'user-7').headers)).status, 409);
  });

  test('gives each connection a name of its own, and the same one every time', async () => {
    const customer = stage.newCustomer();
    await stage.addGrant(customer);
    stage.nango.integrations.set('acme-other', { provider: 'acme-full', clientId: OPERATOR.id });
    const [{ credentials, tags } = { credentials: {} }] = stage.nango.connections;
    const add = (connectionId: string, integration: string) =>
      stage.nango.add({ connectionId, integration, credentials, ...(tags && { tags }) });
    add(UUID, 'acme-other');
    add('Ada Lovelace <ada@example.com>', 'acme-prod');
    add('default', 'acme-prod');
    const names = async (apply: boolean) => (await stage.run(apply)).map(({ connection }) => connection ?? '');
    const planned = await names(false);
    assert.equal(planned[0], UUID);
    assert.match(planned[1] ?? '', /^5f0b1c7e-2f64-4a4b-9d43-0c4a1b7-[0-9a-f]{8}$/);
    assert.match(planned[2] ?? '', /^ada-lovelace-ada-example-com-[0-9a-f]{8}$/);
    assert.match(planned[3] ?? '', /^default-[0-9a-f]{8}$/);
    assert.deepEqual(await names(true), planned);
    assert.deepEqual((await stage.at(customer).names('acme-full')).sort(), [...planned].sort());
  });

  test('takes keys after the provider has accepted them', async () => {
    const customer = stage.newCustomer();
    const tags = { organization_id: customer };
    for (const provider of ['keyed', 'keyed-basic']) stage.nango.integrations.set(provider, { provider });
    const pair = stage.newPair('grace');
    stage.nango.add({
      connectionId: 'one',
      integration: 'keyed',
      tags,
      credentials: { type: 'API_KEY', apiKey: stage.newKey('ada') },
    });
    stage.nango.add({ connectionId: 'two', integration: 'keyed-basic', tags, credentials: { type: 'BASIC', ...pair } });
    stage.nango.add({
      connectionId: 'dead',
      integration: 'keyed',
      tags,
      credentials: { type: 'API_KEY', apiKey: 'no-longer' },
    });
    assert.deepEqual(
      (await stage.run(false)).map(({ outcome }) => outcome),
      ['ready', 'ready', 'ready'],
    );
    assert.equal(stage.verifications(), 0, 'a dry run asks no provider');
    const applied = await stage.run(true);
    assert.deepEqual(
      applied.map(({ outcome, reason }) => reason?.code ?? outcome),
      ['imported', 'imported', 'integrations.key_refused'],
    );
    assert.equal((await stage.at(customer).status('keyed', 'one')).account?.label, 'ada@a.example');
    assert.deepEqual(
      (await stage.run(true)).map(({ outcome }) => outcome),
      ['present', 'present', 'refused'],
    );
  });

  test('repairs a key that no longer works with the one that Nango has by now', async () => {
    const customer = stage.newCustomer();
    stage.nango.integrations.set('keyed', { provider: 'keyed' });
    const credentials = { type: 'API_KEY', apiKey: stage.newKey('ada') };
    stage.nango.add({ connectionId: 'one', integration: 'keyed', tags: { organization_id: customer }, credentials });
    assert.equal((await only(stage.run(true))).outcome, 'imported');
    const status = () => stage.at(customer).status('keyed', 'one');
    assert.equal((await status()).connectedAt, '2026-01-01T00:00:00.000Z');
    const { id } = await putCustomer(stage, customer);
    const { verifyDueAt } = await stage.row(id, 'keyed', 'one');
    assert.ok((verifyDueAt ?? 0) > stage.clock.now() + 12 * HOUR_MS, 'It has just been verified.');

    await stage.app.database.run("update connections set status = 'needs_reconnect'");
    assert.equal((await only(stage.run(true))).outcome, 'present', 'the same key is no help');
    credentials.apiKey = stage.newKey('ada');
    assert.equal((await only(stage.run(false))).outcome, 'ready');
    assert.equal((await only(stage.run(true))).outcome, 'imported');
    assert.equal((await status()).status, 'connected');
  });

  test('a token without an end needs no refresh token, and one that has ended is refreshed by Nango first', async () => {
    const [lasting, ended] = [stage.newCustomer(), stage.newCustomer()];
    const { expires_at: _, refresh_token: __, ...forever } = await stage.addGrant(lasting);
    const [connection] = stage.nango.connections;
    assert.ok(connection);
    connection.credentials = forever;
    assert.equal((await only(stage.run(true))).outcome, 'imported');
    assert.equal(await stage.at(lasting).token('acme-full'), forever.access_token);

    stage.nango.reset();
    const fresh = await stage.addGrant(ended, { expires_at: FAR });
    Object.assign(stage.nango.connections[0] ?? {}, {
      credentials: { ...fresh, access_token: 'old', refresh_token: 'spent', expires_at: '2026-01-02T00:00:00.000Z' },
      refreshed: fresh,
    });
    assert.equal((await only(stage.run(true))).outcome, 'imported');
    assert.equal(await stage.at(ended).token('acme-full'), fresh.access_token);
  });

  test('is a command that reads the key from the environment or from its input, and prints no secret', async () => {
    const customer = stage.newCustomer();
    const held = await stage.addGrant(customer);
    stage.nango.integrations.set('hubspot', { provider: 'hubspot', clientId: 'of-the-product' });
    stage.nango.add({
      connectionId: 'h',
      integration: 'hubspot',
      credentials: held,
      tags: { organization_id: customer },
    });
    const settings = {
      ...settingsOf(stage),
      ...providerSettings(stage.config.providersFile ?? ''),
      OAUTH_HUBSPOT_CLIENT_ID: 'of-the-product',
      OAUTH_HUBSPOT_CLIENT_SECRET: 'secret-of-the-product',
    };
    const ask = (args: string[], env = {}) =>
      runCommand(['import', 'nango', '--host', stage.nango.host, ...args], { ...settings, ...env });
    const withoutKey = await ask([]);
    assert.deepEqual([withoutKey.code, withoutKey.stdout], [2, '']);
    assert.match(withoutKey.stderr, /NANGO_SECRET_KEY/);

    const dry = await ask([], { NANGO_SECRET_KEY: stage.nango.key });
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /2 can be imported/);
    assert.match(dry.stdout, /hubspot: 1 connection\n {4}Never delete its connections one by one/);
    assert.match(dry.stdout, /Nothing has been changed\. Run it again with --apply/);
    const done = await ask(['--apply', '--json'], { NANGO_SECRET_KEY: stage.nango.key });
    const { applied, counts, turnOff } = JSON.parse(done.stdout);
    assert.deepEqual([done.code, applied, counts.imported, turnOff.length], [0, true, 2, 2]);
    assert.equal((await ask([], { NANGO_SECRET_KEY: 'wrong' })).code, 1);
    assert.equal((await ask(['--host', 'ftp://x'], { NANGO_SECRET_KEY: stage.nango.key })).code, 2);
    const said = [withoutKey, dry, done].map(({ stdout, stderr }) => stdout + stderr).join();
    for (const secret of [stage.nango.key, held.access_token, held.refresh_token]) assert.ok(!said.includes(secret));

    await runCommand(['pause'], settings);
    const paused = await ask(['--apply'], { NANGO_SECRET_KEY: stage.nango.key });
    assert.deepEqual([paused.code, paused.stdout], [1, '']);
    assert.match(paused.stderr, /paused/);
    await runCommand(['resume'], settings);

    const piped = await runProgram(
      ['import', 'nango', '--host', stage.nango.host, '--stdin'],
      settings,
      `${stage.nango.key}\n`,
    );
    assert.match(piped.stdout, /2 already here/);
  });
});
