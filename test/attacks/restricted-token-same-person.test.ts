import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a restricted token for a connection', (engine) => {
  // As Harvest, where the key is a person's, the account ID is that person's, and a param says which company it is.
  const stage = useStage(() => openKeysStage(engine));

  test('stops when the same person connects another company in its place', async () => {
    const team = await stage.newTeam();
    const { headers } = team.admin;
    const key = stage.newKey();
    const connect = (site: string) =>
      stage.connectKey(headers, 'keyed-site', { fields: { api_key: key }, params: { site } });
    await connect('north');
    const token = await makeToken(stage.server, headers, {
      allow: [{ provider: 'keyed-site', connection: 'default' }],
    });
    const get = () => stage.ask('GET', '/api/integrations/keyed-site/proxy/things', token);
    assert.equal((await get()).status, 200);
    stage.clock.advance(2_000);
    await connect('south');
    stage.clock.advance(2_000);
    stage.api.received.length = 0;
    const answer = await get();
    assert.deepEqual([answer.status, stage.api.received.map(({ url }) => url)], [403, []]);
  });
});
