import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { openSession } from '../../../test/harness/sessions.ts';
import { html } from '../../platform/index.ts';
import { createLiveCalls } from './live-calls.ts';

test('a stream ends within 15 seconds of its session, even if no one calls', async (context) => {
  const stage = await createTestApp('sqlite');
  context.after(() => stage.close());
  const { member } = await stage.createTeam('acme');
  const { headers } = await openSession(stage, member.user);
  const [session] = (await stage.server.inject({ url: '/api/sessions', headers })).json().sessions;
  const viewer = { teamId: member.user.teamId, userId: member.user.id, sessionId: session.id };
  const region = { timeZone: 'UTC', hourCycle: 'h23', callingCode: null, now: 0 } as const;
  context.mock.timers.enable({ apis: ['setInterval'] });
  const telephony = { calls: { ...stage.app.telephony.calls, watch: () => () => undefined } };
  const stream = createLiveCalls({ ...stage.app, telephony }, () => html``).open(viewer, 0, region);
  let told = '';
  stream.on('data', (part) => (told += part));
  context.mock.timers.tick(15_000);
  while (!told.includes('still here')) await once(stream, 'data');
  await stage.app.database.run('delete from sessions where id = $1', [session.id]);
  const ended = once(stream, 'end');
  context.mock.timers.tick(15_000);
  await ended;
  assert.equal(told, 'retry: 2000\n\n: still here\n\n');
});
