import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
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
    return { ...team, around };
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
