import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { openSession } from '../../../test/harness/sessions.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { html } from '../../platform/index.ts';
import type { ShownCall } from '../../telephony/index.ts';
import { moment } from '../display/moment.ts';
import { createLiveCalls } from './live-calls.ts';

const REGION = { timeZone: 'UTC', hourCycle: 'h23', callingCode: null, now: 0 } as const;

const openStage = async (context: TestContext) => {
  const stage = await createTestApp('sqlite');
  context.after(() => stage.close());
  const { member } = await stage.createTeam('acme');
  const { headers } = await openSession(stage, member.user);
  const [session] = (await stage.server.inject({ url: '/api/sessions', headers })).json().sessions;
  const viewer = { teamId: member.user.teamId, userId: member.user.id, sessionId: session.id };
  return { stage, session, viewer };
};

test('a stream ends within 15 seconds of its session, even if no one calls', async (context) => {
  const { stage, session, viewer } = await openStage(context);
  context.mock.timers.enable({ apis: ['setInterval'] });
  const telephony = { calls: { ...stage.app.telephony.calls, watch: () => () => undefined } };
  const stream = createLiveCalls({ ...stage.app, telephony }, () => html``).open(viewer, 0, REGION);
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

test('a stream that nobody reads is ended before much waits for its reader', async (context) => {
  const { stage, viewer } = await openStage(context);
  let tell: (calls: ShownCall[]) => void = () => undefined;
  const watch = (_teamId: string, _since: number, onCalls: typeof tell) => {
    tell = onCalls;
    return () => undefined;
  };
  const telephony = { calls: { ...stage.app.telephony.calls, watch } };
  const ROW_BYTES = 100_000;
  const live = createLiveCalls({ ...stage.app, telephony }, () => html`${'x'.repeat(ROW_BYTES)}`);
  context.after(live.close);
  const stream = live.open(viewer, 0, REGION);
  for (const rows of [1, 2]) {
    tell([{} as ShownCall]);
    await waitUntil('the row waits for its reader', () => stream.readableLength > rows * ROW_BYTES);
  }
  assert.equal(stream.destroyed, false);
  tell([{} as ShownCall]);
  await waitUntil('the end', () => stream.destroyed);
});

test('people who read times differently each get a call the way they read it', async (context) => {
  const { stage, viewer } = await openStage(context);
  const tellers: ((calls: ShownCall[]) => void)[] = [];
  const watch = (_teamId: string, _since: number, onCalls: (calls: ShownCall[]) => void) => {
    tellers.push(onCalls);
    return () => undefined;
  };
  const telephony = { calls: { ...stage.app.telephony.calls, watch } };
  const live = createLiveCalls({ ...stage.app, telephony }, ({ startedAt }, region) => moment(startedAt, region));
  context.after(live.close);
  const readers = [{ ...REGION, hourCycle: 'h12' }, REGION, { ...REGION, timeZone: 'Asia/Tokyo' }] as const;
  const heard = readers.map(() => '');
  for (const [index, region] of readers.entries())
    live.open(viewer, 0, region).on('data', (part) => (heard[index] += part));
  const call = { startedAt: Date.parse('2026-11-11T15:30:00Z') } as ShownCall;
  for (const tell of tellers) tell([call]);
  await waitUntil('everyone has heard of the call', () => heard.every((text) => text.includes('event: call')));
  for (const [index, time] of [/\b3:30.PM\b/i, /\b15:30\b/, /\b00:30\b/].entries())
    assert.match(heard[index] ?? '', time);
});
