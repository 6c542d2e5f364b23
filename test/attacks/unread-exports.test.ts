import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('exports that nobody reads to the end', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  const FILES = {
    calls: {
      path: '/api/calls',
      begin: (teamId: string, userId: string) => stage.app.telephony.calls.writeCsv({ teamId, userId }, {}),
      refused: { status: 429, code: 'telephony.too_many_exports' },
    },
    'audit entries': {
      path: '/api/audit',
      begin: (teamId: string, userId: string) =>
        stage.app.teams.audit.writeCsv({ teamId, userId, role: 'member', via: 'jwt' }, {}),
      refused: { status: 429, code: 'teams.too_many_exports' },
    },
  };

  for (const [words, { path, begin, refused }] of Object.entries(FILES)) {
    test(`are limited to two per person and five per team until one of them ends: ${words}`, async () => {
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

    test(`do not prevent one export after another: ${words}`, async () => {
      const { member } = await stage.createTeam(path.slice('/api/'.length));
      const headers = { ...member.headers, accept: 'text/csv' };
      for (let count = 0; count < 4; count++) {
        const answer = await stage.server.inject({ url: path, headers });
        assert.equal(answer.statusCode, 200, answer.body);
        assert.match(answer.body, /^id,/);
      }
    });
  }
});
