import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getUser } from '../../src/teams/index.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine("the operator's alert about backups, which nobody can turn off", (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const asAdmin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

  const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: object) =>
    stage.server.inject({ method, url, headers, ...(payload && { payload }) });

  const joinFirstTeam = async () => {
    const invited = await ask('POST', '/api/members', asAdmin, { email: 'member@example.com' });
    const { database, events } = stage.app;
    const user = await getUser(database, await events.getFirstTeamId(), invited.json().member.id);
    assert.equal(user?.role, 'member');
    return openSession(stage, user);
  };

  test('is dismissed only by an admin', async () => {
    const { headers, csrfToken } = await joinFirstTeam();
    await stage.app.events.alerts.backup.open({ reason: 'failed', problem: 'There is no space left.' });
    const list = async () => (await ask('GET', '/api/events/alerts', headers)).json().open;
    const [alert] = await list();
    assert.equal(alert?.kind, 'backup');

    const url = `/api/events/alerts/${alert.id}/dismiss`;
    const refused = await ask('POST', url, { ...headers, 'x-csrf-token': csrfToken });
    assert.equal(refused.statusCode, 403);
    assert.equal(refused.json().code, 'http.admin_only');

    const page = await ask('GET', '/alerts', headers);
    assert.match(page.body, /There is no space left/);
    assert.doesNotMatch(page.body, /\/dismiss"/);

    assert.equal((await list()).length, 1);
    assert.equal((await ask('POST', url, asAdmin)).statusCode, 204);
    assert.equal((await list()).length, 0);
  });
});
