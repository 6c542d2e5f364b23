import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { COMPANY } from '../harness/oauth-server.ts';
import { allRecords } from '../harness/provider-file.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';
const HOUR_MS = 3_600_000;

/** The provider says who gave the grant, and for which company they work. */
const listRecords = (issuer: string) => {
  const identity = { url: `${issuer}/me`, id: 'sub', label: 'email', installation: 'company' };
  return allRecords(issuer).map((record) => (record.id === PROVIDER ? { ...record, identity } : record));
};

onOneEngine('colleagues of one company', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine, { records: listRecords }));
  let [ann, bob] = ['', ''];

  beforeEach(() => {
    [ann, bob] = [stage.newAccount(), stage.newAccount()];
  });

  /** Makes the team's accounts what an earlier version read: the company instead of the person. */
  const forgetPeople = async ({ team }: { team: { id: string } }): Promise<void> => {
    await stage.app.database.run(
      'update connections set account_id = $1, installation_id = null, account_from = null where team_id = $2',
      [COMPANY, team.id],
    );
  };

  test('each have their own account, and the company beside it', async () => {
    const { at } = await stage.newTeam();
    await at.connect(PROVIDER, ann);
    const { account, installation } = await at.status(PROVIDER);
    assert.deepEqual(account, { id: ann, label: `${ann}@example.com` });
    assert.deepEqual(installation, { id: COMPANY });
  });

  test('connect the same provider, and a disconnect revokes only the grant of the one who disconnects', async () => {
    const [one, two] = [await stage.newTeam(), await stage.newTeam()];
    await one.at.connect(PROVIDER, ann);
    await one.at.connect(PROVIDER, bob, { connection: 'bob' });
    await two.at.connect(PROVIDER, stage.newAccount());
    const [gone, kept] = [await one.at.token(PROVIDER, 'default'), await one.at.token(PROVIDER, 'bob')];
    assert.equal(await one.at.disconnect(PROVIDER, 'default'), 'revoked');
    assert.equal(await stage.oauth.whoIs(gone), null);
    assert.equal(await stage.oauth.whoIs(kept), bob);
    stage.clock.advance(HOUR_MS);
    assert.equal(await stage.oauth.whoIs(await one.at.token(PROVIDER, 'bob')), bob, 'It is refreshed as before.');
    assert.notEqual(await stage.oauth.whoIs(await two.at.token(PROVIDER)), null);
  });

  test('are told apart from the next refresh on, if an earlier version took them for one account', async () => {
    const made = await stage.newTeam();
    const { at } = made;
    await at.connect(PROVIDER, ann);
    await at.connect(PROVIDER, bob, { connection: 'bob' });
    await forgetPeople(made);
    stage.clock.advance(HOUR_MS);
    stage.oauth.fail('userinfo', serverError);
    assert.equal(await stage.oauth.whoIs(await at.token(PROVIDER, 'default')), ann);
    assert.equal((await at.status(PROVIDER, 'default')).account?.id, COMPANY, 'The provider did not say who it is.');
    stage.clock.advance(HOUR_MS);
    await at.token(PROVIDER, 'default');
    await at.token(PROVIDER, 'bob');
    const asked = stage.oauth.count('userinfo');
    for (const [connection, person] of [
      ['default', ann],
      ['bob', bob],
    ] as const) {
      const { account, installation } = await at.status(PROVIDER, connection);
      assert.deepEqual([account?.id, account?.label, installation?.id], [person, `${person}@example.com`, COMPANY]);
    }
    stage.clock.advance(HOUR_MS);
    await at.token(PROVIDER, 'default');
    assert.equal(stage.oauth.count('userinfo'), asked, 'Nothing is left to correct.');
    assert.equal(await at.disconnect(PROVIDER, 'default'), 'revoked');
    assert.equal(await stage.oauth.whoIs(await at.token(PROVIDER, 'bob')), bob);
  });

  test('who were taken for one account may reconnect without being asked whether to replace another', async () => {
    const made = await stage.newTeam();
    const { at } = made;
    await at.connect(PROVIDER, ann);
    await forgetPeople(made);
    const revocations = stage.oauth.count('revoke');
    await at.connect(PROVIDER, ann, { replace: false });
    assert.equal((await at.status(PROVIDER)).account?.id, ann);
    assert.equal(stage.oauth.count('revoke'), revocations);
  });

  test('can be one person in two companies: then one is not replaced by the other unless that may happen', async () => {
    const { at, team } = await stage.newTeam();
    await at.connect(PROVIDER, ann);
    await stage.app.database.run("update connections set installation_id = 'before' where team_id = $1", [team.id]);
    const refused = await at.tryConnect(PROVIDER, ann, { replace: false });
    assert.deepEqual([refused.status, JSON.parse(refused.body).code], [409, 'integrations.name_taken']);
    assert.deepEqual((await at.status(PROVIDER)).installation, { id: 'before' });
    const revocations = stage.oauth.count('revoke');
    const replaced = await at.tryConnect(PROVIDER, ann);
    assert.deepEqual(JSON.parse(replaced.body).previousAccount, { id: ann, label: `${ann}@example.com` });
    assert.equal(await stage.oauth.whoIs(await at.token(PROVIDER)), ann);
    assert.equal(stage.oauth.count('revoke'), revocations, "It might end the person's new grant, too.");
  });

  test('may be the same person as long as one account is not corrected: then the grant is shared', async () => {
    const made = await stage.newTeam();
    const { at } = made;
    await at.connect(PROVIDER, ann);
    await forgetPeople(made);
    await at.connect(PROVIDER, ann, { connection: 'again' });
    const token = await at.token(PROVIDER, 'again');
    assert.equal(await at.disconnect(PROVIDER, 'default'), 'shared');
    assert.equal(await stage.oauth.whoIs(token), ann, 'It was not ended with the other.');
    assert.equal(await at.disconnect(PROVIDER, 'again'), 'revoked');
    assert.equal(await stage.oauth.whoIs(token), null);
  });
});
