import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { runTogether } from '../harness/run-together.ts';
import { makeLinkPath, openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a link that opens at the moment when its person ends all other sessions', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  test('leaves no session, though the person has never proven an address', async () => {
    const { member } = await stage.createTeam('robbed');
    // Both links were handed over by an admin.
    const own = await openSession(stage, member.user);
    const stolen = await makeLinkPath(stage, member.user);
    const open = () => stage.server.inject({ method: 'POST', url: stolen }).then((answer) => answer);
    const end = () =>
      stage.server
        .inject({
          method: 'POST',
          url: '/settings/sessions/end-others',
          headers: own.headers,
          payload: { _csrf: own.csrfToken, links: 'on' },
        })
        .then((answer) => answer);
    const [opened, ended] = await runTogether(stage.app.database, 'sessions', [open, end]);
    assert.deepEqual([opened.statusCode, ended.statusCode], [303, 303], `${opened.body} ${ended.body}`);
    const left = await stage.app.database.all('select id from sessions where user_id = $1', [member.user.id]);
    assert.equal(left.length, 1, 'The session of the lost device is still there.');
  });
});
