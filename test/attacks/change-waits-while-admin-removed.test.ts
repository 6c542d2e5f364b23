import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { holdLock, holdTransaction, isOneWaiting } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('an admin whose change waits for a lock (postgresql)', () => {
  const stage = useStage(() => createTestApp('postgresql'));
  const endpoint = { method: 'POST', url: '/api/events/endpoints', payload: { url: 'http://127.0.0.1:9/' } } as const;
  const channels = { mail: false, slack: false, pages: false };
  const silent = { reconnect: channels, voicemail: channels, missed: channels, endpoint: channels };
  const alerts = { method: 'PUT', url: '/api/events/alerts', payload: { settings: silent } } as const;
  const settings = { method: 'PATCH', url: '/api/team', payload: { name: 'Taken over' } } as const;

  const createTeam = async (name: string) => {
    const { team, admin, member } = await stage.createTeam(name);
    const url = `/api/members/${member.user.id}`;
    const { headers } = admin;
    const promoted = await stage.server.inject({ method: 'PATCH', url, headers, payload: { role: 'admin' } });
    assert.equal(promoted.statusCode, 200, promoted.body);
    return { team, headers, url, former: member.headers };
  };

  const run = async (
    name: string,
    change: typeof endpoint | typeof alerts | typeof settings,
    lose: { method: 'DELETE' } | { method: 'PATCH'; payload: { role: 'member' } },
    status: number,
  ) => {
    const { app, server } = stage;
    const { team, headers, url, former } = await createTeam(name);
    const held = await holdLock(app.database, 'select id from teams where id = $1 for no key update', [team.id]);
    const changing = server.inject({ ...change, headers: former }).then((answer) => answer);
    await waitUntil('the change waits', () => isOneWaiting(app.database), 10_000);
    const lost = await server.inject({ ...lose, url, headers });
    assert.ok(lost.statusCode < 300, lost.body);
    await held.release();
    const changed = await changing;
    assert.equal(changed.statusCode, status, changed.body);
    const { endpoints } = (await server.inject({ url: endpoint.url, headers })).json();
    assert.deepEqual(endpoints, []);
    assert.notEqual((await server.inject({ url: '/api/team', headers })).json().name, settings.payload.name);
  };

  for (const [what, change] of [
    ['endpoint', endpoint],
    ['alerts', alerts],
    ['settings', settings],
  ] as const) {
    test(`changes nothing after a removal (${what})`, () => run(`removed-${what}`, change, { method: 'DELETE' }, 401));
    test(`changes nothing after a demotion (${what})`, () =>
      run(`demoted-${what}`, change, { method: 'PATCH', payload: { role: 'member' } }, 403));
  }

  for (const [what, url, payload] of [
    ['OAuth app', '/api/integrations/github/credentials', { clientId: 'theirs', clientSecret: 'secret-of-theirs' }],
    ['webhooks', '/api/integrations/github/webhook', { secret: 'known-to-them' }],
    ['Slack', '/api/reports/slack', { url: 'https://hooks.slack.com/services/T0/B0/theirs' }],
  ] as const)
    test(`changes nothing if it waits for their removal (${what})`, async () => {
      const { app, server } = stage;
      const { headers, url: member, former } = await createTeam(`removing-${what.replace(' ', '-')}`);
      const held = holdTransaction(app.database);
      const removing = server.inject({ method: 'DELETE', url: member, headers }).then((answer) => answer);
      await held.worked;
      const changing = server.inject({ method: 'PUT', url, headers: former, payload }).then((answer) => answer);
      await waitUntil('the change waits', () => isOneWaiting(app.database), 10_000);
      held.release();
      assert.equal((await removing).statusCode, 204);
      const changed = await changing;
      assert.equal(changed.statusCode, 401, changed.body);
    });
});
