import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRETS } from '../harness/app.ts';
import { type Ask, floodWith } from '../harness/flood.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import { ADMIN, addPhoneAccount, deliver } from '../harness/telephony-serve.ts';
import { newCallSid, SERVICE_URL, signForm, VOICE } from '../harness/telephony-stage.ts';

const CONNECTIONS = 50;
/** What one address can have without much effort. */
const MANY_CONNECTIONS = 300;
const FLOOD_MS = 2_000;
const EVERY_MS = 20;
/** Far above the goal of 50, because other tests run on the same cores. Without bounds, it was 28 s. */
const MOST_MS = 2_000;
const WEBHOOK_BYTES = 256 * 1024;

const longForm = (count: number): string => {
  const names = Array.from({ length: count }, (_, index) => index.toString(36));
  const padding = 'x'.repeat(Math.max(1, Math.floor(WEBHOOK_BYTES / count) - 8));
  return names
    .map((name) => `${name}=${padding}`)
    .join('&')
    .slice(0, WEBHOOK_BYTES);
};
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const post = (path: string, headers: Record<string, string>, body: string): Ask => ({
  method: 'POST',
  path,
  headers,
  body,
});
const bandwidth = JSON.stringify({
  eventType: 'initiate',
  accountId: '5500000',
  callId: 'c-1',
  ...Object.fromEntries(Array.from({ length: 4_900 }, (_, index) => [`field${index}`, 'x'.repeat(30)])),
});
const twilioShaped = `AccountSid=AC${'0'.repeat(32)}&CallSid=CA${'0'.repeat(32)}&${longForm(990)}`.slice(
  0,
  WEBHOOK_BYTES,
);

/** Every entry point that is open to strangers. */
const FLOODS: Record<string, Ask> = {
  'forms with more names than anybody sends': post(VOICE, form, longForm(30_000)),
  'forms with as many names as are read, badly signed': post(
    VOICE,
    { ...form, 'x-twilio-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
    twilioShaped,
  ),
  'JSON as Bandwidth sends it, without a password': post(VOICE, json, bandwidth),
  'small deliveries that nobody has signed': post(VOICE, form, 'CallSid=CA1'),
  'health checks': { path: VOICE },
  'sign-in links that were guessed': { path: '/sign-in/00000000000000000000000000000000_guess' },
  'requests for a sign-in link': post('/sign-in', form, 'email=somebody%40example.com'),
  'callbacks with a state of their own': { path: '/api/integrations/sandbox/callback?state=guess&code=x' },
  'static files': { path: '/docs/static/swagger-ui-bundle.js' },
  'unknown paths': { path: '/nothing/here' },
  'unsubscribe links that were guessed': post('/unsubscribe/guess', form, ''),
  'live streams without a session': { path: '/calls/live', headers: { accept: 'text/event-stream' } },
  'access tokens that were guessed': { path: '/api/team', headers: { authorization: `Bearer pb_${'0'.repeat(32)}_x` } },
};

const p99 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.99) - 1] ?? 0;

describe('while strangers flood the service', () => {
  const openStage = async (context: TestContext) => {
    const stage = openServeStage(context);
    const serving = await stage.serve({ ...SECRETS, PATCHBAY_URL: SERVICE_URL, PATCHBAY_DATA: stage.newDirectory() });
    await serving.ready();
    const account = await addPhoneAccount(serving, { answer: { greeting: 'Welcome.' } });
    const { accountId } = account;

    const call = async (): Promise<number> => {
      const params = {
        ...{ AccountSid: accountId, CallSid: newCallSid(), From: '+15551230001', To: '+15551239999' },
        ...{ Direction: 'inbound', CallStatus: 'ringing' },
      };
      const heard = await deliver(serving, signForm(`${SERVICE_URL}${VOICE}?account=${account.id}`, params));
      assert.equal(heard?.status, 200, 'A caller is answered.');
      return heard.tookMs;
    };
    const look = async (): Promise<number> => {
      const readMs = startStopwatch(serving);
      assert.equal((await serving.fetch('/api/team', { headers: ADMIN })).status, 200, 'A member is served.');
      return readMs();
    };
    /** Callers and a member continue at their own pace until the work is done. */
    const during = async <Done>(work: Promise<Done>) => {
      let over = false;
      const times = { calls: [] as number[], member: [] as number[] };
      const pace = async (once: () => Promise<number>, into: number[]): Promise<void> => {
        while (!over) {
          into.push(await once());
          await sleep(EVERY_MS);
        }
      };
      const going = [pace(call, times.calls), pace(look, times.member)];
      const done = await work.finally(() => {
        over = true;
      });
      await Promise.all(going);
      return { done, calls: p99(times.calls), member: p99(times.member) };
    };
    for (let count = 0; count < 20; count++) await call();
    return { serving, during };
  };

  test('callers and members are served as usual', async (context) => {
    const { serving, during } = await openStage(context);
    const floods = Object.entries(FLOODS).map(([what, asked]) => ({ what, asked, connections: CONNECTIONS }));
    const cheapest = {
      what: 'hundreds of connections',
      asked: { path: '/api/nothing' },
      connections: MANY_CONNECTIONS,
    };
    for (const { what, asked, connections } of [...floods, cheapest]) {
      const { done, calls, member } = await during(
        floodWith({ port: serving.port, what: asked, connections, ms: FLOOD_MS }),
      );
      context.diagnostic(
        `${what}: ${done.count} in ${FLOOD_MS / 1_000} s, answered ${done.statuses.join(', ')}; p99 of calls ${calls.toFixed(0)} ms, of a member ${member.toFixed(0)} ms`,
      );
      assert.ok(!done.statuses.includes(500), `${what}: ${done.statuses}`);
      assert.ok(calls < MOST_MS && member < MOST_MS, `${what}: calls ${calls} ms, member ${member} ms`);
    }
  });
});
