import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/index.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { TEAM } from '../harness/oauth-server.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';
const ROUNDS = 5;

onEachEngine('a grant', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));

  const countRevocations = async (): Promise<number> =>
    (await stage.app.database.all('select id from revocations', [])).length;

  test("that works isn't ended by a reconnect that couldn't be stored", async () => {
    const { at } = await stage.newTeam();
    const account = stage.newAccount();
    await at.connect(PROVIDER, account);
    const token = await at.token(PROVIDER);
    const { path, cookie } = await at.goToProvider(PROVIDER, account);
    const held = stage.oauth.hold('userinfo', 'after');
    const answer = stage.ask('GET', path, { accept: 'application/json', cookie });
    await held.arrived;
    const { database } = stage.app;
    const { transaction } = database;
    database.transaction = () => Promise.reject(new DatabaseUnavailable('away'));
    held.release();
    assert.equal((await answer).status, 503);
    database.transaction = transaction;
    assert.equal((await at.status(PROVIDER)).status, 'connected');
    assert.equal(await stage.oauth.whoIs(token), account, 'The old connection works.');
  });

  test('that two teams disconnect together is ended by the last of them', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = stage.newAccount();
      const [one, two] = [await stage.newTeam(), await stage.newTeam()];
      await one.at.connect(PROVIDER, account);
      await two.at.connect(PROVIDER, account);
      const token = await two.at.token(PROVIDER);
      await Promise.all([one.at.disconnect(PROVIDER), two.at.disconnect(PROVIDER)]);
      assert.ok((await stage.oauth.whoIs(token)) === null || (await countRevocations()) > 0, `round ${round}`);
    }
  });

  test('whose client was removed is ended once the client is back', async () => {
    const { at, admin } = await stage.newTeam();
    const address = `/api/integrations/${PROVIDER}/credentials`;
    const own = { clientId: TEAM.id, clientSecret: TEAM.secret };
    assert.equal((await stage.ask('PUT', address, admin.headers, own)).status, 200);
    await at.connect(PROVIDER, stage.newAccount());
    assert.equal((await stage.ask('DELETE', address, admin.headers)).status, 204);
    const before = await countRevocations();
    assert.equal(await at.disconnect(PROVIDER), 'failed_will_retry');
    assert.equal(await countRevocations(), before + 1);
  });

  test("isn't reported as ended if the provider refuses with status 200", async () => {
    const { at } = await stage.newTeam();
    await at.connect(PROVIDER, stage.newAccount());
    stage.oauth.fail('revoke', ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"temporarily_unavailable"}');
    });
    assert.equal(await at.disconnect(PROVIDER), 'failed_will_retry');
  });

  test("isn't forgotten if the database goes away right after a disconnect", async () => {
    const { at } = await stage.newTeam();
    await at.connect(PROVIDER, stage.newAccount());
    const before = await countRevocations();
    stage.oauth.fail('revoke', serverError);
    const { database } = stage.app;
    const { transaction } = database;
    const once: typeof transaction = (work) => {
      Object.assign(database, { transaction: () => Promise.reject(new DatabaseUnavailable('away')) });
      return transaction(work);
    };
    Object.assign(database, { transaction: once });
    await stage.ask('POST', `/api/integrations/${PROVIDER}/disconnect`, at.headers);
    Object.assign(database, { transaction });
    assert.equal((await at.status(PROVIDER)).status, 'disconnected');
    assert.equal(await countRevocations(), before + 1);
  });

  test('can be replaced and removed if its tokens can no longer be decrypted', async () => {
    const [one, two] = [await stage.newTeam(), await stage.newTeam()];
    for (const { at, team } of [one, two]) {
      await at.connect(PROVIDER, stage.newAccount());
      await stage.app.database.run('update connections set refresh_token = access_token where team_id = $1', [team.id]);
    }
    assert.equal((await one.at.tryConnect(PROVIDER, stage.newAccount())).status, 200);
    assert.equal(await two.at.disconnect(PROVIDER), 'unknown', 'Nobody can tell what is left there.');
    assert.equal((await two.at.status(PROVIDER)).status, 'disconnected');
  });
});
