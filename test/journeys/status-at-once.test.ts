import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { holdAnswer, holdTransaction } from '../harness/hold-database.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { OPERATOR } from '../harness/oauth-server.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;

/** A status is remembered for a moment, and here the clock stands still in that moment. */
describe('the status, asked for just before something changes', () => {
  const stage = useStage(() => openKeysStage('sqlite'));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  const openTeam = async (provider: string) => {
    const team = await stage.newTeam();
    const standing = async () => {
      const { status, reason } = await team.at.status(provider);
      return [status, reason];
    };
    /** The standing before and after it. */
    const around = async (change: () => Promise<unknown>) => {
      const before = await standing();
      await change();
      return [before, await standing()];
    };
    /** The standing while it is written, and after it. */
    const during = async (change: () => Promise<unknown>) => {
      const held = holdTransaction(stage.app.database);
      const changing = change();
      await held.worked;
      const before = await standing();
      held.release();
      await changing;
      return [before, await standing()];
    };
    return { ...team, around, during };
  };
  const CONNECTED = ['connected', null];
  const DISCONNECTED = ['disconnected', null];

  test('shows that an account was connected and disconnected', async () => {
    const { at, around } = await openTeam('acme');
    assert.deepEqual(await around(() => at.connect('acme', stage.newAccount())), [DISCONNECTED, CONNECTED]);
    assert.deepEqual(await around(() => at.disconnect('acme')), [CONNECTED, DISCONNECTED]);
  });

  test('shows that a refresh failed, and that the next one worked', async () => {
    const { at, around } = await openTeam('acme');
    await at.connect('acme', stage.newAccount());
    stage.clock.advance(HOUR_MS);
    stage.oauth.fail('refresh', serverError);
    const degraded = ['degraded', 'provider_unavailable'];
    assert.deepEqual(await around(stage.app.integrations.refreshDue), [CONNECTED, degraded]);
    stage.clock.advance(HOUR_MS);
    assert.deepEqual(await around(stage.app.integrations.refreshDue), [degraded, CONNECTED]);
  });

  test('shows that a token has expired whose provider is no longer set up', async () => {
    const { at, team, around } = await openTeam('gone');
    await at.connect('acme', stage.newAccount());
    await stage.app.database.run("update connections set provider = 'gone' where team_id = $1", [team.id]);
    stage.clock.advance(HOUR_MS);
    const expired = ['needs_reconnect', 'expired'];
    assert.deepEqual(await around(stage.app.integrations.refreshDue), [CONNECTED, expired]);
  });

  test('shows that a key no longer works', async () => {
    const { admin, around } = await openTeam('keyed');
    const key = stage.newKey();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    stage.endKey(key);
    stage.clock.advance(24 * HOUR_MS);
    const refused = ['needs_reconnect', 'key_refused'];
    assert.deepEqual(await around(stage.app.integrations.verifyDue), [CONNECTED, refused]);
  });

  test('shows a change in another process also if the clock was set back', async () => {
    const { admin, at } = await openTeam('keyed');
    assert.equal((await at.status('keyed')).status, 'disconnected');
    const other = await stage.openOther();
    const body = { fields: { api_key: stage.newKey() } };
    const reply = await other.ask('PUT', '/api/integrations/keyed/key', admin.headers, body);
    assert.equal(reply.status, 200, reply.body);
    stage.clock.advance(-HOUR_MS);
    assert.equal((await at.status('keyed')).status, 'connected');
  });

  test('shows a change also to those who asked while it was written', async () => {
    const { admin, at, during } = await openTeam('keyed');
    const fields = { api_key: stage.newKey() };
    const connect = () => stage.connectKey(admin.headers, 'keyed', { fields });
    assert.deepEqual(await during(connect), [DISCONNECTED, CONNECTED]);
    assert.deepEqual(await during(() => at.disconnect('keyed')), [CONNECTED, DISCONNECTED]);
  });

  test("shows a provider as soon as the team has entered its own OAuth app, and until it's removed", async () => {
    const { admin, at } = await stage.newTeam();
    const url = '/api/integrations/github/credentials';
    const client = { clientId: OPERATOR.id, clientSecret: OPERATOR.secret };
    assert.deepEqual(await at.names('github'), []);
    assert.equal((await stage.ask('PUT', url, admin.headers, client)).status, 200);
    assert.deepEqual(await at.names('github'), ['default']);
    assert.equal((await stage.ask('DELETE', url, admin.headers)).status, 204);
    assert.deepEqual(await at.names('github'), []);
  });
});

/** An app is remembered for a moment, too. */
describe("a team's own OAuth app", () => {
  const stage = useStage(() => openKeysStage('sqlite'));

  /** A team that has entered an app. */
  const openTeam = async () => {
    const { admin } = await stage.newTeam();
    const url = '/api/integrations/github/credentials';
    const enter = async (clientId: string, ask = stage.ask) => {
      const reply = await ask('PUT', url, admin.headers, { clientId, clientSecret: 'secret-of-the-team' });
      assert.equal(reply.status, 200, reply.body);
    };
    /** The app that connecting leads to. */
    const wanted = async (): Promise<string | null> => {
      const { body } = await stage.ask('POST', '/api/integrations/github/connect', admin.headers, {});
      return new URL(JSON.parse(body).authorizationUrl).searchParams.get('client_id');
    };
    await enter('first');
    return { enter, wanted };
  };

  test('is used at once if it was entered while the one before it was looked up', async () => {
    const { enter, wanted } = await openTeam();
    const held = holdAnswer(stage.app.database, 'all', 'from provider_credentials');
    const before = wanted();
    await held.answered;
    await enter('second');
    held.release();
    assert.deepEqual([await before, await wanted()], ['first', 'second']);
  });

  test('is used within a second after it was entered in another process, whatever the clock says', async () => {
    const { enter, wanted } = await openTeam();
    const other = await stage.openOther();
    assert.equal(await wanted(), 'first');
    await enter('second', other.ask);
    stage.clock.advance(999);
    assert.equal(await wanted(), 'second');
    await enter('third', other.ask);
    stage.clock.advance(-HOUR_MS);
    assert.equal(await wanted(), 'third');
  });

  test('is used at once, also by those who looked it up while it was written', async () => {
    const { enter, wanted } = await openTeam();
    const held = holdTransaction(stage.app.database);
    const entering = enter('second');
    await held.worked;
    assert.equal(await wanted(), 'first');
    held.release();
    await entering;
    assert.equal(await wanted(), 'second');
  });
});
