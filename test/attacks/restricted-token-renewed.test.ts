import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { allRecords } from '../harness/provider-file.ts';
import { startApi } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

onOneEngine('a restricted token for one consent of a provider that names no account', (engine) => {
  const stage = useStage(async () => {
    const api = await startApi();
    const stage = await openIntegrationsStage(engine, {
      records: (issuer) =>
        allRecords(issuer).map(({ ...record }) => {
          if (record.id !== PROVIDER) return record;
          delete (record as { identity?: unknown }).identity;
          return { ...record, requiredScopes: ['offline_access'], api: { url: `${api.url}/v1` } };
        }),
    });
    return {
      ...stage,
      api,
      close: async () => {
        await stage.close();
        await api.stop();
      },
    };
  });

  test('sends nothing with another consent that has replaced it, though the first one is refused', async () => {
    const { api, clock } = stage;
    const { at, admin, team } = await stage.newTeam();
    assert.equal((await at.tryConnect(PROVIDER, stage.newAccount())).status, 200);
    const allow = [{ provider: PROVIDER, connection: 'default' }];
    const token = await makeToken(stage.server, admin.headers, { allow });
    const other = await stage.openOther();
    const url = `/api/integrations/${PROVIDER}/proxy/user`;
    const ask = () => other.ask('GET', url, token);
    const first = await ask();
    assert.equal(first.status, 200, JSON.stringify(first));
    const old = api.received[0]?.headers.authorization;
    api.received.length = 0;

    clock.advance(10);
    assert.equal((await at.tryConnect(PROVIDER, stage.newAccount())).status, 200);
    assert.equal((await stage.row(team.id, PROVIDER)).accountId, null);
    api.answer(async (request, response) => {
      await api.note(request);
      const isOld = request.headers.authorization === old;
      response.writeHead(isOld ? 401 : 200, { 'content-type': 'application/json' }).end('{"whose":"another"}');
    });
    const answer = await ask();
    const sent = api.received.map(({ headers }) => headers.authorization).filter((one) => one !== old);
    clock.advance(1_000);
    assert.equal((await ask()).status, 403, 'From now on it is refused.');
    assert.deepEqual([sent.length, answer.status], [0, 401], JSON.stringify(answer));
  });
});
