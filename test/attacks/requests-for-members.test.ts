import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { openRequestLog } from '../harness/request-log.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const LIST = '/requests?provider=acme-full&connection=default';

onOneEngine('a member who wants to see what was requested', (engine) => {
  const stage = useStage(() => openProxyStage(engine));

  test('is refused by the pages as by the API, and led to none of them', async () => {
    const { member, visit, send, tokenId } = await openRequestLog(stage);
    const id = await send('for/admins');
    const { headers } = await openSession(stage, member.user);
    const paths = [LIST, '/requests', `/requests?by=${await tokenId()}`, `/requests?by=user:${member.user.id}`];
    for (const path of [...paths, `/requests/${id}`, '/requests/unknown']) {
      const { statusCode, body } = await visit(path, headers);
      assert.equal(statusCode, 403, path);
      assert.doesNotMatch(body, /for\/admins/, path);
    }
    const { statusCode } = await stage.server.inject({ url: '/api/integrations/requests', headers: member.headers });
    assert.equal(statusCode, 403);
    for (const path of ['/integrations/acme-full', '/settings/tokens']) {
      const shown = await visit(path, headers);
      assert.equal(shown.statusCode, 200, path);
      assert.doesNotMatch(shown.body, /href="\/requests/, path);
      assert.match((await visit(path)).body, /href="\/requests/, `${path} leads an admin there.`);
    }
  });

  test('is refused from the next page on after having been an admin', async () => {
    const { admin, member, headers, visit, send } = await openRequestLog(stage);
    const id = await send('for/admins');
    const role = (userId: string, to: string, by: Record<string, string>) =>
      stage.server.inject({ method: 'PATCH', url: `/api/members/${userId}`, headers: by, payload: { role: to } });
    assert.equal((await visit(`/requests/${id}`)).statusCode, 200);
    assert.equal((await role(member.user.id, 'admin', headers)).statusCode, 200);
    assert.equal((await role(admin.user.id, 'member', member.headers)).statusCode, 200);
    for (const path of [LIST, `/requests/${id}`]) assert.equal((await visit(path)).statusCode, 403, path);
  });

  test('gets no page without a session, with an access token neither', async () => {
    const { headers, visit, send } = await openRequestLog(stage);
    const id = await send('for/admins');
    for (const path of [LIST, `/requests/${id}`]) {
      const stranger = await visit(path, {});
      assert.equal(stranger.statusCode, 303, path);
      assert.match(String(stranger.headers.location), /^\/sign-in/);
      const { statusCode, body } = await visit(path, headers);
      assert.notEqual(statusCode, 200, path);
      assert.doesNotMatch(body, /for\/admins/);
    }
  });
});
