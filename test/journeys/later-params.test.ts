import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;

/** The values that connections have if they were made before the entry had any params. */
const FORGET = "update connections set details = '{}' where provider = $1";

const moving: FullRecord = {
  ...{ id: 'moving', name: 'Moving', scopes: [], domains: ['moving.test'] },
  params: { region: { about: 'The region.', pattern: 'us|eu', example: 'eu', default: 'us' } },
  authorize: { url: 'https://moving.test/{region}/authorize' },
  token: { url: 'https://moving.test/{region}/token' },
  refresh: { rotates: 'always' },
  revoke: { url: 'https://moving.test/{region}/revoke' },
  api: { url: 'https://moving.test/{region}/api' },
};

onOneEngine('a grant from before its entry had a param with a default', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { custom: [moving] }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  test('is refreshed, used, and revoked with the default', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member, 'moving');
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 'moving');
    await flow.stage.app.database.run(FORGET, ['moving']);
    flow.clock.advance(HOUR_MS - 10_000);
    assert.equal((await flow.post('moving/token', team.admin.headers)).statusCode, 200);
    assert.equal((await flow.get('/api/integrations/moving/proxy/', team.admin.headers)).statusCode, 200);
    assert.equal((await flow.post('moving/disconnect', team.member.headers)).json().revocation, 'revoked');
    assert.deepEqual(
      flow.simulator.requests.map(({ kind, reasons }) => [kind, ...reasons]),
      [['token'], ['refresh'], ['verify'], ['revoke']],
    );
  });
});

onOneEngine('a key from before its entry had a param with a default', (engine) => {
  const stage = useStage(() => openKeysStage(engine));

  test('is used and verified with the default', async () => {
    const { admin, at } = await stage.newTeam();
    const key = stage.newKey();
    await stage.connectKey(admin.headers, 'keyed-version', { fields: { api_key: key } });
    await stage.app.database.run(FORGET, ['keyed-version']);
    stage.api.received.length = 0;
    const answer = await stage.ask('GET', '/api/integrations/keyed-version/proxy/things', admin.headers);
    assert.equal(answer.status, 200, answer.body);
    stage.endKey(key);
    stage.clock.advance(24 * HOUR_MS);
    await stage.app.integrations.verifyDue();
    assert.deepEqual(
      stage.api.received.map(({ url }) => url),
      ['/v1/things', '/v1/me?full=1'],
    );
    assert.equal((await at.status('keyed-version')).reason, 'key_refused');
  });
});
