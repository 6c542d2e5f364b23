import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { refreshDue } from '../../src/integrations/refresh/refresh-due.job.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { expectProblem } from '../harness/problem.ts';
import { bindingOf, createTeamMember, JSON_ONLY, pathOf } from '../harness/team-member.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;
/** From here on, a token with a lifetime of an hour is due; it still works. */
const DUE_MS = HOUR_MS - 60_000;

onOneEngine('several connections to one provider', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  const oauth = prepare(async () => stage.oauth);
  let one: string;
  let other: string;

  beforeEach(() => {
    one = stage.newAccount();
    other = stage.newAccount();
  });
  afterEach(() => stage.removeConnections());

  /** A team with the first account as its default, and the second under another name. */
  const openPair = async (provider = 'acme') => {
    const made = await stage.newTeam();
    await made.at.connect(provider, one);
    await made.at.connect(provider, other, { connection: 'work' });
    return made;
  };

  const post = (headers: Record<string, string>, path: string, body?: object) =>
    stage.ask('POST', `/api/integrations/${path}`, headers, body);

  test('have their own account, tokens and entry in the status, the default first', async () => {
    const { at } = await stage.newTeam();
    assert.deepEqual(await at.names('acme'), ['default'], 'Without a connection, there is one entry.');
    await at.connect('acme', other, { connection: 'work' });
    assert.deepEqual(await at.names('acme'), ['work']);
    await at.connect('acme', stage.newAccount(), { connection: 'a' });
    await at.connect('acme', one);
    assert.deepEqual(await at.names('acme'), ['default', 'a', 'work']);
    assert.equal((await at.status('acme')).account?.id, one);
    assert.equal((await at.status('acme', 'work')).account?.id, other);
    assert.equal(await oauth.whoIs(await at.token('acme')), one, 'Without a name, the default.');
    assert.equal(await oauth.whoIs(await at.token('acme', 'default')), one);
    assert.equal(await oauth.whoIs(await at.token('acme', 'work')), other);
    const stranger = await stage.newTeam();
    assert.deepEqual(await stranger.at.names('acme'), ['default']);
    assert.equal((await stranger.at.status('acme')).status, 'disconnected');
  });

  test('are named in the query or in the body, and not differently in both', async () => {
    const { at } = await openPair();
    for (const action of ['token', 'disconnect']) {
      const both = await post(at.headers, `acme/${action}?connection=work`, { connection: 'default' });
      assert.equal(expectProblem(both, 400, action).code, 'integrations.connection_conflicting');
      const unknown = await post(at.headers, `acme/${action}`, { name: 'work' });
      assert.equal(expectProblem(unknown, 400, `${action} with another field`).code, 'http.invalid_input');
    }
    const byBody = await post(at.headers, 'acme/token', { connection: 'work' });
    assert.equal(await oauth.whoIs(JSON.parse(byBody.body).accessToken), other);
    const byBoth = await post(at.headers, 'acme/disconnect?connection=work', { connection: 'work' });
    assert.deepEqual(JSON.parse(byBoth.body), {
      provider: 'acme',
      status: 'disconnected',
      revocation: 'revoked',
    });
    assert.deepEqual(await at.names('acme'), ['default']);
  });

  test('that were mistyped are refused with the names that there are', async () => {
    const { at } = await openPair();
    const { code, detail, ...problem } = expectProblem(
      await post(at.headers, 'acme/token?connection=wrok'),
      409,
      'a typo',
    );
    assert.equal(code, 'integrations.not_connected');
    assert.equal(detail, 'The team has no connection to this provider named "wrok". It has: default, work.');
    assert.deepEqual('connections' in problem && problem.connections, ['default', 'work']);
    const nothing = { provider: 'acme', status: 'disconnected', revocation: 'not_connected' };
    const away = await post(at.headers, 'acme/disconnect', { connection: 'wrok' });
    assert.deepEqual(JSON.parse(away.body), { ...nothing, connections: ['default', 'work'] });
    const elsewhere = await post(at.headers, 'acme-full/disconnect', { connection: 'wrok' });
    assert.ok(!elsewhere.body.includes('connections'), elsewhere.body);
  });

  test('that were mistyped are refused with at most twenty names', async () => {
    const { at, team } = await openPair();
    const { database } = stage.app;
    const row = await database.get<Record<string, string>>(
      "select * from connections where team_id = $1 and name = 'work'",
      [team.id],
    );
    const columns = Object.keys(row ?? {});
    for (let number = 10; number < 33; number++) {
      const values = Object.values({ ...row, id: `many-${number}-${engine}`, name: `n${number}` });
      const places = columns.map((_, index) => `$${index + 1}`);
      await database.run(`insert into connections (${columns}) values (${places})`, values);
    }
    const refused = await post(at.headers, 'acme/token?connection=wrok');
    const { detail } = expectProblem(refused, 409, 'many');
    assert.match(detail, /It has: default, n10, n11, .+, n28, and 5 more\.$/);
    assert.equal(JSON.parse(refused.body).connections.length, 20);
    const away = await post(at.headers, 'acme/disconnect?connection=wrok');
    assert.equal(JSON.parse(away.body).connections.length, 20);
  });

  test('without a name, mean the default, or the only one, or are refused with all their names', async () => {
    const { at } = await stage.newTeam();
    await at.connect('acme', one, { connection: 'b' });
    assert.equal(await oauth.whoIs(await at.token('acme')), one, 'The only one.');
    await at.connect('acme', other, { connection: 'a' });
    for (const action of ['token', 'disconnect']) {
      const refused = await post(at.headers, `acme/${action}`);
      const problem = expectProblem(refused, 409, action);
      assert.equal(problem.code, 'integrations.connection_ambiguous');
      assert.deepEqual(JSON.parse(refused.body).connections, ['a', 'b']);
    }
    assert.deepEqual(await at.names('acme'), ['a', 'b'], 'Nothing was disconnected.');
    assert.equal((await at.refusedToken('acme', 409, 'c')).code, 'integrations.not_connected');
    assert.equal(await at.disconnect('acme', 'c'), 'not_connected');
    assert.equal(await at.disconnect('acme', 'a'), 'revoked');
    assert.equal(await at.disconnect('acme'), 'revoked', 'The only one.');
    assert.equal(await at.disconnect('acme'), 'not_connected');
  });

  test('say what they replace, and connecting the same account again is a reconnect', async () => {
    const { at, admin } = await openPair();
    const replaces = async (connection?: string) => {
      const begun = await post(at.headers, 'acme/connect', connection ? { connection } : {});
      return JSON.parse(begun.body).replaces;
    };
    assert.deepEqual(await replaces(), { id: one, label: `${one}@example.com` });
    assert.deepEqual(await replaces('work'), { id: other, label: `${other}@example.com` });
    assert.equal(await replaces('new'), null);
    await at.connect('acme', other, { connection: 'work' });
    await at.connect('acme', one, { connection: 'new' });
    assert.deepEqual(await at.names('acme'), ['default', 'new', 'work']);
    const audit = await stage.ask('GET', '/api/audit?limit=100', admin.headers);
    const events: { action: string; detail: { connection?: string } | null }[] = JSON.parse(audit.body).events;
    const told = events.map(({ action, detail }) => `${action} ${detail?.connection}`);
    assert.deepEqual(told.filter((line) => line.startsWith('integration.')).sort(), [
      'integration.connect default',
      'integration.connect new',
      'integration.connect work',
      'integration.reconnect work',
    ]);
  });

  test('keep their account if a different one must not replace it, and its new grant ends', async () => {
    const { at } = await openPair();
    const third = stage.newAccount();
    const refused = await at.tryConnect('acme', third, { connection: 'work', replace: false });
    assert.equal(expectProblem(refused, 409, 'another account').code, 'integrations.name_taken');
    const brought = oauth.issued.at(-1);
    assert.ok(brought);
    assert.equal(await oauth.whoIs(brought.accessToken), null, 'Nobody keeps it, so it was revoked.');
    assert.equal(await oauth.whoIs(await at.token('acme', 'work')), other);
    await at.connect('acme', other, { connection: 'work', replace: false });
    const taken = await at.tryConnect('acme', one, { connection: 'work', replace: false });
    expectProblem(taken, 409, 'the account of another name');
    assert.equal(await oauth.whoIs(await at.token('acme')), one, 'A grant that another name uses is left alone.');
    await at.connect('acme', third, { connection: 'work' });
    assert.equal((await at.status('acme', 'work')).account?.id, third);
  });

  test('carry their name through a link, a ticket, a parked attempt and back', async () => {
    const { at } = await stage.newTeam();
    const link = await stage.ask(
      'GET',
      '/api/integrations/acme/connect?connection=linked&returnTo=/done%3Fconnection%3Dold',
      at.headers,
    );
    const callback = await oauth.consent(link.headers['location'] ?? '', { account: one });
    const arrived = await stage.ask('GET', pathOf(callback), { accept: 'text/html', cookie: bindingOf(link) });
    assert.equal(arrived.headers['location'], '/done?provider=acme&connection=linked&outcome=connected');

    const begun = await post(at.headers, 'acme/connect', { connection: 'ticket', returnTo: '/done' });
    const { pathname, search } = new URL(JSON.parse(begun.body).connectUrl);
    const opened = await stage.ask('GET', `${pathname}${search}`, { accept: 'text/html' });
    const path = pathOf(await oauth.consent(opened.headers['location'] ?? '', { account: other }));
    const parked = await stage.ask('GET', path, JSON_ONLY);
    assert.equal(parked.status, 202, parked.body);
    const done = await post(at.headers, 'acme/complete', { attempt: JSON.parse(parked.body).attempt });
    assert.deepEqual(JSON.parse(done.body), {
      provider: 'acme',
      connection: 'ticket',
      outcome: 'connected',
      account: { id: other, label: `${other}@example.com` },
      previousAccount: null,
      siteNeeded: false,
    });
    assert.deepEqual(await at.names('acme'), ['linked', 'ticket']);

    const denied = await stage.ask('GET', '/api/integrations/acme/connect?connection=no&returnTo=/done', at.headers);
    const refusal = await oauth.consent(denied.headers['location'] ?? '', { answer: 'deny' });
    const back = await stage.ask('GET', pathOf(refusal), { accept: 'text/html', cookie: bindingOf(denied) });
    const wanted = '/done?provider=acme&connection=no&outcome=failed&error=integrations.access_denied';
    assert.equal(back.headers['location'], wanted);
  });

  test('are disconnected one by one: the other keeps working', async () => {
    const { at } = await openPair();
    const gone = await at.token('acme', 'work');
    assert.equal(await at.disconnect('acme', 'work'), 'revoked');
    assert.equal(await oauth.whoIs(gone), null);
    assert.equal(await oauth.whoIs(await at.token('acme')), one);
    stage.clock.advance(DUE_MS);
    assert.equal(await oauth.whoIs(await at.token('acme')), one, 'It is refreshed, too.');
  });

  test('are told apart if the only one gives way to another while it is disconnected without its name', async () => {
    const { at } = await stage.newTeam();
    await at.connect('acme', one, { connection: 'work' });
    const { database } = stage.app;
    const { transaction } = database;
    const overtaken: typeof transaction = async (work) => {
      Object.assign(database, { transaction });
      await at.disconnect('acme', 'work');
      await at.connect('acme', other, { connection: 'private' });
      return transaction(work);
    };
    Object.assign(database, { transaction: overtaken });
    assert.equal(await at.disconnect('acme'), 'not_connected');
    assert.equal(await oauth.whoIs(await at.token('acme', 'private')), other);
  });

  test('with one grant share it: only the last to disconnect revokes it', async () => {
    const { at } = await stage.newTeam();
    await at.connect('acme', one);
    await at.connect('acme', one, { connection: 'work' });
    const revocations = oauth.count('revoke');
    assert.equal(await at.disconnect('acme'), 'shared');
    assert.equal(oauth.count('revoke'), revocations);
    const token = await at.token('acme');
    assert.equal(await oauth.whoIs(token), one, 'The other name keeps working.');
    stage.clock.advance(DUE_MS);
    assert.equal(await oauth.whoIs(await at.token('acme', 'work')), one);
    assert.equal(await at.disconnect('acme', 'work'), 'revoked');
    assert.equal(await oauth.whoIs(token), null);
  });

  test('refresh on their own: a lease of one delays no other', async () => {
    const { at } = await openPair();
    stage.clock.advance(DUE_MS);
    const held = oauth.hold('refresh', 'after');
    const slow = at.token('acme', 'work');
    await held.arrived;
    const refreshes = oauth.count('refresh');
    assert.equal(await oauth.whoIs(await at.token('acme')), one, 'It does not wait.');
    assert.equal(oauth.count('refresh'), refreshes + 1);
    held.release();
    assert.equal(await oauth.whoIs(await slow), other);
    const tokens = await Promise.all([at.token('acme'), at.token('acme', 'work'), at.token('acme')]);
    assert.equal(oauth.count('refresh'), refreshes + 1, 'Nothing is due anymore.');
    assert.equal(new Set(tokens).size, 2);
  });

  test('connect side by side, and of several connects under one name the last to finish stays', async () => {
    const { at } = await stage.newTeam();
    const accounts = Array.from({ length: 4 }, () => stage.newAccount());
    const replies = await Promise.all(
      accounts.map((account, index) => at.tryConnect('acme', account, { connection: `name-${index % 2}` })),
    );
    for (const { status, body } of replies) assert.equal(status, 200, body);
    assert.deepEqual(await at.names('acme'), ['name-0', 'name-1']);
    for (const name of ['name-0', 'name-1']) {
      const { account } = await at.status('acme', name);
      assert.equal(await oauth.whoIs(await at.token('acme', name)), account?.id);
    }
  });

  test('are seen by another process within a second, each with its own state', async () => {
    const { at, team } = await openPair();
    const there = createTeamMember((await stage.openOther()).ask, at.headers, oauth);
    assert.deepEqual(await there.names('acme'), ['default', 'work']);
    stage.clock.advance(DUE_MS);
    oauth.fail('refresh', ({ response }) => void response.writeHead(503).end());
    await at.token('acme', 'work');
    stage.clock.advance(1_000);
    assert.equal((await there.status('acme', 'work')).status, 'degraded');
    assert.equal((await there.status('acme')).status, 'connected');
    assert.ok((await stage.row(team.id, 'acme', 'work')).failures > 0);
    assert.equal((await stage.row(team.id, 'acme')).failures, 0);
    oauth.mend();
  });

  describe('with running jobs', () => {
    before(() => stage.app.jobs.start());

    test('are all refreshed when they are due', async () => {
      const { at, team } = await openPair();
      const generations = async () =>
        Promise.all(['default', 'work'].map(async (name) => (await stage.row(team.id, 'acme', name)).generation));
      assert.deepEqual(await generations(), [1, 1]);
      stage.clock.advance(DUE_MS);
      await stage.app.database.transaction((tx) => stage.app.jobs.enqueue(tx, refreshDue, {}));
      await waitUntil('both were refreshed', async () => (await generations()).every((generation) => generation === 2));
      assert.equal(await oauth.whoIs(await at.token('acme')), one);
      assert.equal(await oauth.whoIs(await at.token('acme', 'work')), other);
    });

    test('replaced by another account keep a grant that another name uses', async () => {
      const { at, team } = await stage.newTeam();
      await at.connect('acme', one);
      await at.connect('acme', one, { connection: 'work' });
      await at.connect('acme', other, { connection: 'work' });
      await waitUntil('the revocation is over', async () => {
        const rows = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
        return rows.length === 0;
      });
      assert.equal(await oauth.whoIs(await at.token('acme')), one);
    });
  });
});
