import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Patchbay } from '../../packages/client/src/index.ts';
import { DatabaseUnavailable, type Engine } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { openKillStage } from '../harness/kill-stage.ts';
import { expectProblem } from '../harness/problem.ts';
import { createRandom } from '../harness/random.ts';
import type { Serving } from '../harness/serve-process.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { signAsGitHub } from '../harness/webhook-senders.ts';
import { startWebhookStage, WEBHOOK_SECRET } from '../harness/webhook-stage.ts';

/** `KILLS=50` for the long run. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const KILL_MS = 60_000;
const SENDERS = 8;
const MOST_BEFORE_KILL = 200;
const SECRET = 'secret-of-the-killed';
const MIB = 1024 * 1024;

describe("a process killed while providers' webhooks arrive", { concurrency: 2 }, () => {
  const run = async (context: TestContext, engine: Engine): Promise<void> => {
    const stage = await openKillStage(context, engine);
    const random = createRandom('webhooks');
    const running = new Map<number, Serving>();
    const start = async (index: number): Promise<void> => {
      const serving = await stage.serve({ ...stage.environments[index] });
      running.set(index, serving);
      await serving.ready();
    };
    await start(0);
    for (const [index] of stage.environments.entries()) if (index > 0) await start(index);
    const first = running.get(0) ?? assert.fail();
    const admin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const made = await first.fetch('/api/integrations/github/webhook', {
      method: 'PUT',
      headers: admin,
      body: JSON.stringify({ secret: SECRET }),
    });
    const { pathname } = new URL(((await made.json()) as { url: string }).url);

    const waiting: string[] = [];
    const acknowledged = new Set<string>();
    const send = async (isOver: () => boolean): Promise<void> => {
      for (;;) {
        const targets = [...running.values()].filter((serving) => serving.isRunning());
        const target = targets[random.integer(0, targets.length)];
        const id = waiting.pop() ?? (isOver() ? undefined : randomUUID());
        if (!target || id === undefined) return;
        const { headers, body } = await signAsGitHub('{"action":"opened"}', {
          secret: SECRET,
          type: 'push',
          id,
          now: 0,
        });
        const answer = await target.fetch(pathname, { method: 'POST', headers, body }).catch(() => null);
        await answer?.arrayBuffer().catch(() => null);
        if (answer?.status !== 200) waiting.push(id);
        else {
          acknowledged.add(id);
          // Some are sent again, as if the provider hadn't heard it.
          if (random.integer(0, 10) === 0) waiting.push(id);
        }
      }
    };
    const sendAll = (isOver: () => boolean) => Promise.all(Array.from({ length: SENDERS }, () => send(isOver)));

    for (let kill = 0; kill < KILLS; kill++) {
      const killAt = acknowledged.size + random.integer(1, MOST_BEFORE_KILL);
      const at = random.integer(0, stage.environments.length);
      const victim = running.get(at) ?? assert.fail();
      const sending = sendAll(() => !victim.isRunning());
      await waitUntil('enough is acknowledged', () => acknowledged.size >= killAt, 30_000);
      victim.kill('SIGKILL');
      await victim.ended();
      running.delete(at);
      await sending;
      await start(at);
    }
    await sendAll(() => true);

    const last = [...running.values()].at(-1) ?? assert.fail();
    const client = new Patchbay({ url: last.url, token: SECRETS.PATCHBAY_ADMIN_TOKEN });
    const recorded: unknown[] = [];
    for await (const { data } of client.events.list({ type: 'provider.event:github' })) recorded.push(data['id']);
    assert.ok(acknowledged.size > KILLS);
    assert.deepEqual(
      [...acknowledged].filter((id) => !recorded.includes(id)),
      [],
      'None is lost.',
    );
    assert.equal(new Set(recorded).size, recorded.length, 'None is there twice.');
  };

  for (const engine of ['sqlite', 'postgresql'] as const)
    test(`has each that it acknowledged as one event (${engine})`, { timeout: KILL_MS * (KILLS + 2) }, (context) =>
      run(context, engine),
    );
});

onEachEngine("a provider's webhook while the database is unavailable", (engine) => {
  const stage = useStage(() => startWebhookStage(engine));

  /** Until `mend`, the database responds to nothing. */
  const takeAway = () => {
    const { database } = stage.app;
    const { get, all, allFrom, transaction } = database;
    const away = () => Promise.reject(new DatabaseUnavailable('Away.'));
    Object.assign(database, { get: away, all: away, allFrom: away, transaction: away });
    return { mend: () => Object.assign(database, { get, all, allFrom, transaction }) };
  };

  test('is kept sealed in a file, and becomes an event once afterward', async () => {
    const { admin, member } = await stage.stage.createTeam('away');
    const { path } = await stage.openAddress(admin, 'github', SECRET);
    const { path: unseen } = await stage.openAddress((await stage.stage.createTeam('unseen')).admin, 'github', SECRET);
    const sign = (id: string, secret = SECRET) =>
      signAsGitHub('{"action":"opened","text":"a secret text"}', { secret, type: 'push', id, now: 0 });
    assert.equal((await stage.send(path, await sign('before'))).status, 200);
    const { mend } = takeAway();
    stage.clock.advance(60_000);
    for (const _ of [1, 2]) assert.equal((await stage.send(path, await sign('during'))).status, 200);
    expectProblem(await stage.send(path, await sign('forged', 'guessed')), 403, 'forged');
    expectProblem(await stage.send(unseen, await sign('unseen')), 503, 'an address that nobody has called yet');
    const folder = join(stage.stage.config.data, 'webhook-journal');
    const text = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    assert.ok(text.length > 0 && !text.includes('a secret text') && !text.includes('during'));
    mend();
    await waitUntil('the files are read back', async () => {
      await stage.app.integrations.webhooks.keeper.ingest();
      return readdirSync(folder).length === 0;
    });
    assert.equal((await stage.send(path, await sign('during'))).status, 200, 'The provider sends it again.');
    assert.deepEqual(
      (await stage.listEvents(member)).map(({ data }) => data['id']),
      ['before', 'during'],
    );
  });

  test('is dropped afterward if its address was ended meanwhile', async () => {
    const { admin, member } = await stage.stage.createTeam('ended');
    const { path } = await stage.openAddress(admin, 'github', SECRET);
    const sign = (id: string) => signAsGitHub('{}', { secret: SECRET, type: 'push', id, now: 0 });
    assert.equal((await stage.send(path, await sign('before'))).status, 200);
    const { mend } = takeAway();
    assert.equal((await stage.send(path, await sign('during'))).status, 200);
    mend();
    assert.equal((await stage.ask(admin, 'DELETE', 'github/webhook')).status, 204);
    await waitUntil('the files are read back', async () => {
      await stage.app.integrations.webhooks.keeper.ingest();
      return readdirSync(join(stage.stage.config.data, 'webhook-journal')).length === 0;
    });
    assert.deepEqual(
      (await stage.listEvents(member)).map(({ data }) => data['id']),
      ['before'],
    );
  });
});

onOneEngine("a provider's large webhook", (engine) => {
  const stage = useStage(() => startWebhookStage(engine));
  const bodyOf = (bytes: number) => {
    const start = '{"sender":{"id":"account-large"},"text":"';
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
  };
  const send = async (bytes: number, id: string, secret = WEBHOOK_SECRET) =>
    stage.send(stage.operatorPath('github'), await signAsGitHub(bodyOf(bytes), { secret, type: 'push', id, now: 0 }));

  test('can have 25 MiB, ten at once, while others are served, and not a byte more', { timeout: 300_000 }, async () => {
    const { member } = await stage.stage.createTeam('large');
    await stage.connect(member, 'github', 'account-large');
    const large = Array.from({ length: 10 }, (_, index) => send(25 * MIB, `large-${index}`));
    const small = await Promise.all(Array.from({ length: 20 }, (_, index) => send(1_000, `small-${index}`)));
    assert.deepEqual(new Set(small.map(({ status }) => status)), new Set([200]));
    const answers = await Promise.all(large);
    // One at a time is read, so some may have to come again.
    for (const { status } of answers) assert.ok([200, 503].includes(status), String(status));
    assert.ok(answers.some(({ status }) => status === 200));
    const accepted = answers.filter(({ status }) => status === 200).length;
    const events = await stage.listEvents(member);
    assert.equal(events.filter(({ data }) => typeof data['payloadUrl'] === 'string').length, accepted);
    assert.equal(events.length, accepted + 20);
    assert.equal((await send(25 * MIB + 1, 'too large')).status, 413);
    assert.equal((await send(MIB, 'forged', 'guessed')).status, 403);
  });

  test('is refused where the provider sends no large ones, or if nothing in it could be a signature', async () => {
    const { admin } = await stage.stage.createTeam('small');
    const { path } = await stage.openAddress(admin, 'calendly', SECRET);
    const headers = { 'content-type': 'application/json' };
    assert.equal((await stage.send(path, { headers, body: bodyOf(256 * 1024 + 1) })).status, 413);
    const unsigned = await stage.send(stage.operatorPath('github'), { headers, body: bodyOf(MIB) });
    assert.equal(expectProblem(unsigned, 403, 'unsigned').code, 'integrations.signature_invalid');
  });
});
