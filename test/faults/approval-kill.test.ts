import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Patchbay, PatchbayError } from '../../packages/client/src/index.ts';
import { openDatabase } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { keyRecords } from '../harness/keys-stage.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { startApi } from '../harness/proxy-stage.ts';
import { createRandom } from '../harness/random.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** How often a process is killed, and how many approvals are on their way each time. */
const KILLS = Number(process.env['PATCHBAY_TEST_KILLS'] ?? 5);
const AT_ONCE = 20;
/** How long one may take on a busy machine. */
const KILL_MS = 60_000;
/** How many turns of the event loop pass at most before a kill that waits for nothing else. */
const MOST_TURNS = 400;
const MOMENTS = ['arrived', 'answered', 'turned'] as const;
const ENDED = ['sent', 'unclear', 'waiting', 'failed'];

onEachEngine('approvals and kill -9', (engine) => {
  test('send each request once, or say that nobody knows', { timeout: KILLS * KILL_MS }, async (context) => {
    const random = createRandom('approvals');
    /** How often the API got each request. */
    const got = new Map<string, number>();
    /** When the process is killed: as this many requests have arrived or were answered, or after so many turns. */
    let killAt = { moment: 'never', count: 0 };
    let { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const countDown = (): void => {
      killAt.count--;
      if (killAt.count === 0) reach();
    };
    const api = await startApi();
    context.after(() => api.stop());
    api.answer(async (incoming, response) => {
      await api.note(incoming);
      const { body } = api.received.pop() ?? { body: '' };
      if (incoming.method === 'POST') got.set(body, (got.get(body) ?? 0) + 1);
      if (killAt.moment === 'arrived') countDown();
      response.setHeader('content-type', 'application/json').end('{"id":"7"}', () => {
        if (killAt.moment === 'answered') countDown();
      });
    });
    const store = await createTestStore(engine);
    context.after(store.remove);
    const file = writeProviderFile(keyRecords(api.url).filter(({ id }) => id === 'keyed'));
    context.after(file.remove);
    const stage = openServeStage(context);
    const env = {
      ...SECRETS,
      PATCHBAY_PROVIDERS: file.path,
      PATCHBAY_RATE_LIMIT: '1000000',
      DATABASE_URL: store.settings.url?.reveal() ?? '',
      PATCHBAY_DATA: store.settings.dataDirectory,
    };
    const database = openDatabase(store.settings, () => undefined);
    context.after(() => database.close());
    const serve = async () => {
      const serving = await stage.serve(env);
      await serving.ready();
      return { serving, admin: new Patchbay({ url: serving.url, token: SECRETS.PATCHBAY_ADMIN_TOKEN }) };
    };
    const states = new Map<string, number>();
    let unmarked = 0;
    let { serving, admin } = await serve();
    await admin.integrations.putKey('keyed', { fields: { api_key: 'secret-key' } });

    const killOnce = async (kill: number): Promise<void> => {
      const { token } = await admin.tokens.create({
        name: `agent ${kill}`,
        allow: [{ provider: 'keyed', connection: 'default' }],
        writes: 'ask',
        approvalMinutes: 60,
      });
      const agent = new Patchbay({ url: serving.url, token });
      const asked = new Map<string, string>();
      for (let number = 1; number <= AT_ONCE; number++) {
        const body = `${kill}.${number}`;
        const refusal = await agent.fetch('keyed', '/things', { method: 'POST', body }).then(
          () => null,
          (error: unknown) => error,
        );
        assert.ok(refusal instanceof PatchbayError && refusal.approval, String(refusal));
        asked.set(refusal.approval.id, body);
      }
      const moment = MOMENTS[kill % MOMENTS.length] ?? 'turned';
      ({ promise: reached, resolve: reach } = Promise.withResolvers<void>());
      killAt = { moment, count: random.integer(1, moment === 'turned' ? MOST_TURNS : AT_ONCE) };
      const approving = Promise.allSettled([...asked.keys()].map((id) => admin.approvals.approve(id)));
      while (killAt.moment === 'turned' && killAt.count > 0) {
        countDown();
        await nextTurn();
      }
      await reached;
      killAt = { moment: 'never', count: 0 };
      serving.kill('SIGKILL');
      await serving.ended();
      await approving;
      ({ serving, admin } = await serve());
      const row = await database.get<{ n: number }>(
        `select count(*) as n from approvals where state = 'sending' and begun_at is null`,
        [],
      );
      unmarked += Number(row?.n);
      // As if the killed process's leases, which last for up to two minutes, had ended.
      await database.run(`update approvals set lease_until = 0 where state = 'sending'`, []);
      for (const [id, body] of asked) {
        let state = '';
        await waitUntil(`${body} has come to rest`, async () => {
          ({ state } = await admin.approvals.get(id));
          return state !== 'sending';
        });
        assert.ok(ENDED.includes(state), state);
        states.set(state, (states.get(state) ?? 0) + 1);
        const times = got.get(body) ?? 0;
        const expected: Record<string, readonly number[]> = { sent: [1], unclear: [0, 1] };
        assert.ok((expected[state] ?? [0]).includes(times), `${body} is ${state}, and arrived ${times} times`);
        // A team can only have so many that wait.
        if (state === 'waiting') await admin.approvals.refuse(id);
      }
    };
    for (let kill = 1; kill <= KILLS; kill++) await context.test(`kill ${kill}`, () => killOnce(kill));
    const counts = [...states].map(([state, count]) => `${count} ${state}`);
    context.diagnostic(`${KILLS} kills: ${counts.join(', ')}; ${unmarked} had been approved, but not begun`);
    assert.equal(Math.max(...got.values()), 1);
  });
});
