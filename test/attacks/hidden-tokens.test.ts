import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const NEWER = 1_050;

onOneEngine('a token behind a thousand newer ones', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const team = prepare(() => stage.createTeam('hiding'));
  let oldId: string;

  before(async () => {
    const { headers } = team.member;
    const made = await stage.server.inject({ method: 'POST', url: '/api/tokens', headers, payload: { name: 'old' } });
    oldId = made.json().id;
    const { database, newId, clock } = stage.app;
    const now = clock.now();
    const rows = Array.from({ length: NEWER }, (_, index) => [newId(), `newer ${index}`]);
    await database.runFrom(
      { columns: { id: 'text', name: 'text' }, rows },
      `insert into access_tokens (id, team_id, user_id, name, digest, created_at, expires_at)
        select id, '${team.team.id}', '${team.admin.user.id}', name, '-', ${now + 1}, ${now + 90 * 86_400_000} from rows`,
    );
  });

  test('is listed for an admin, page by page, each exactly once', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/api/tokens?limit=100${cursor && `&cursor=${cursor}`}`;
      const answer = await stage.server.inject({ url, headers: team.admin.headers });
      assert.equal(answer.statusCode, 200, answer.body);
      const { tokens, nextCursor } = answer.json();
      assert.ok(tokens.length <= 100);
      seen.push(...tokens.map(({ id }: { id: string }) => id));
      cursor = nextCursor;
    }
    assert.ok(seen.includes(oldId), 'A token that works is not listed.');
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(seen.length, NEWER + 3);
  });

  test('is found on the pages too', async () => {
    const { headers } = await openSession(stage, team.admin.user);
    let path: string | undefined = '/settings/tokens';
    let found = false;
    for (let page = 0; path !== undefined && page < 100; page++) {
      const { body }: { body: string } = await stage.server.inject({ url: path, headers });
      found ||= body.includes(oldId);
      path = /<a rel="next" href="([^"]+)"/.exec(body)?.[1];
    }
    assert.ok(found, 'A token that works is on none of the pages.');
  });

  test('a made-up cursor is refused', async () => {
    for (const cursor of ['bm90LW91cnM', '%27%20or%201=1--', '-']) {
      const answer = await stage.server.inject({ url: `/api/tokens?cursor=${cursor}`, headers: team.admin.headers });
      assert.equal(answer.statusCode, 400, cursor);
      assert.equal(answer.json().code, 'teams.cursor_invalid');
    }
  });
});
