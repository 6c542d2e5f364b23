import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEndpointAlert } from '../../src/events/alerts/endpoint-alerts.ts';
import { getEndpoint } from '../../src/events/endpoints/endpoint-store.ts';
import { getUser } from '../../src/teams/index.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine("the operator's alerts, which the first team sees", (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const asAdmin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

  const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: object) =>
    stage.server.inject({ method, url, headers, ...(payload && { payload }) });

  const joinFirstTeam = async (email: string) => {
    const invited = await ask('POST', '/api/members', asAdmin, { email });
    const { database, events } = stage.app;
    const user = await getUser(database, await events.getFirstTeamId(), invited.json().member.id);
    assert.equal(user?.role, 'member');
    return openSession(stage, user);
  };

  const expectOnlyAdmins = async ({ headers, csrfToken }: Session, kind: string, words: RegExp) => {
    const list = async () => (await ask('GET', '/api/events/alerts', headers)).json().open;
    const [alert] = await list();
    assert.equal(alert?.kind, kind);

    const url = `/api/events/alerts/${alert.id}/dismiss`;
    const refused = await ask('POST', url, { ...headers, 'x-csrf-token': csrfToken });
    assert.equal(refused.statusCode, 403);
    assert.equal(refused.json().code, 'http.admin_only');

    const page = await ask('GET', '/alerts', headers);
    assert.match(page.body, words);
    assert.doesNotMatch(page.body, /\/dismiss"/);

    assert.equal((await list()).length, 1);
    assert.equal((await ask('POST', url, asAdmin)).statusCode, 204);
    assert.equal((await list()).length, 0);
  };

  test('about backups are dismissed only by an admin', async () => {
    const session = await joinFirstTeam('member@example.com');
    await stage.app.events.alerts.backup.open({ reason: 'failed', problem: 'There is no space left.' });
    await expectOnlyAdmins(session, 'backup', /There is no space left/);
  });

  test("about the operator's own endpoints are dismissed only by an admin", async () => {
    const session = await joinFirstTeam('another@example.com');
    const url = 'https://hooks.example/operator';
    const { id } = (await ask('POST', '/api/operator/events/endpoints', OPERATOR, { url })).json();
    const { app } = stage;
    const owner = { teamId: await app.events.getFirstTeamId(), forOperator: true };
    await app.database.transaction(async (tx) => {
      const endpoint = (await getEndpoint(tx, owner, id)) ?? assert.fail('There is no endpoint.');
      await openEndpointAlert(app, tx, endpoint, 'gone');
    });
    await expectOnlyAdmins(session, 'endpoint', /Events are no longer sent to https:\/\/hooks\.example/);
  });
});
