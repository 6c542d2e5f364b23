import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

onOneEngine('a restricted token for some paths', (engine) => {
  const stage = useStage(() => openProxyStage(engine, {}, { PATCHBAY_RATE_LIMIT: '1000000' }));
  beforeEach(() => stage.api.reset());

  /** Google reads headers from the query. */
  for (const field of [
    '%24httpHeaders=X-HTTP-Method-Override%3ADELETE%0D%0A',
    '$httpHeaders=X-HTTP-Method-Override:DELETE',
  ])
    test(`sends nothing that a server may read as another request: ${field}`, async () => {
      const { admin } = await stage.connected();
      const token = await makeToken(stage.server, admin.headers, {
        allow: [{ provider: PROVIDER, methods: ['GET', 'POST'], paths: ['/user'] }],
      });
      const answer = await stage.call(stage.proxied(`user?${field}`), { headers: token });
      assert.equal(answer.status, 403, stage.api.received[0]?.url);
    });

  /** Who the credential acts for at GitLab, Dropbox, Box, Stripe, and SendGrid. */
  for (const name of ['Sudo', 'Dropbox-API-Select-User', 'As-User', 'Stripe-Account', 'On-Behalf-Of'])
    test(`cannot act for another account with ${name}`, async () => {
      const { admin } = await stage.connected();
      const token = await makeToken(stage.server, admin.headers, {
        allow: [{ provider: PROVIDER, connection: 'default', paths: ['/user'] }],
      });
      const answer = await stage.call(stage.proxied('user'), { headers: { ...token, [name]: 'somebody-else' } });
      assert.equal(answer.status, 403, JSON.stringify(stage.api.received[0]?.headers));
    });
});

onOneEngine('a restricted token that asks all the time', (engine) => {
  const stage = useStage(() => openProxyStage(engine, {}, { PATCHBAY_RATE_LIMIT: '120' }));

  test("doesn't keep its maker from revoking it", async () => {
    const { admin } = await stage.connected();
    const token = await makeToken(stage.server, admin.headers, { can: [] });
    const { tokens } = (await stage.server.inject({ url: '/api/tokens', headers: admin.headers })).json();
    const { id } = tokens.find(({ name }: { name: string }) => name === 'agent');
    for (let n = 0; n < 300; n++) await stage.server.inject({ url: '/api/team', headers: token });
    const revoked = await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${id}`, headers: admin.headers });
    assert.equal(revoked.statusCode, 204, revoked.body);
  });
});
