import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('call exports that nobody reads to the end', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  test('are limited to two per person and five per team until one of them ends', async () => {
    const { writeCsv } = stage.app.telephony.calls;
    const begin = (teamId: string, userId: string) => writeCsv({ teamId, userId }, {});
    const refused = { status: 429, code: 'telephony.too_many_exports' };
    const first = await begin('ours', 'ann');
    await begin('ours', 'ann');
    await assert.rejects(begin('ours', 'ann'), refused);
    await begin('ours', 'ben');
    await begin('ours', 'ben');
    await begin('ours', 'cem');
    await assert.rejects(begin('ours', 'dee'), refused);
    await begin('theirs', 'ann');
    first.destroy();
    await once(first, 'close');
    await begin('ours', 'dee');
  });

  test('do not prevent one export after another', async () => {
    const { member } = await stage.createTeam('acme');
    const headers = { ...member.headers, accept: 'text/csv' };
    for (let count = 0; count < 4; count++) {
      const answer = await stage.server.inject({ url: '/api/calls', headers });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.match(answer.body, /^id,provider,/);
    }
  });
});
