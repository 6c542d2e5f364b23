import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine('an invitation', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const team = prepare(() => house.createTeam('acme'));

  const invite = async (email: string) =>
    house.server.inject({ method: 'POST', url: '/api/members', headers: team.admin.headers, payload: { email } });
  const signIn = async (link: string) =>
    (await house.server.inject({ method: 'POST', url: new URL(link).pathname })).statusCode;

  test('sent again invalidates the first link, and so does signing in', async () => {
    const first = (await invite('bob@acme.example')).json().signInLink;
    const second = (await invite('bob@acme.example')).json().signInLink;
    assert.equal(await signIn(first), 410);
    assert.equal(await signIn(second), 303);
  });

  test('never lets an admin in as a teammate who works with a token', async () => {
    const again = await invite(team.member.user.email ?? '');
    assert.equal(again.statusCode, 409);
    assert.equal(again.json().signInLink, undefined);
  });
});
