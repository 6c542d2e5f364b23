import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteRefusalsBefore } from '../../src/telephony/accounts/refusal-store.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openLine, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

onOneEngine('an admin who signs deliveries for made-up hosts', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const sender = senderOf('twilio');

  const signFor = async (line: Awaited<ReturnType<typeof openLine>>, host: string) => {
    const request = line.print(sender.rings(line.accountId, sender.newCallId()));
    const { headers } = line.sign(request, { at: `http://${host}` });
    return send(stage, { ...request, headers: { ...headers, host: 'localhost:3000', 'x-forwarded-host': host } });
  };
  const hintsOf = async (line: Awaited<ReturnType<typeof openLine>>): Promise<string[]> =>
    ((await line.read()).refusals as { hint: string }[]).map(({ hint }) => hint);

  test('fills few rows, however many hosts there are', async () => {
    const line = await openLine(stage, sender);
    for (let count = 0; count < 25; count++) await signFor(line, `host-${count}.example`);
    const hints = await hintsOf(line);
    assert.equal(hints.length, 11);
    assert.ok(hints.includes('too many different causes to list each one'));
  });

  test('fills no row with a name that no host can have', async () => {
    const line = await openLine(stage, sender);
    await signFor(line, `${'long.'.repeat(1_000)}example`);
    for (const hint of await hintsOf(line)) assert.ok(hint.length < 500, hint.slice(0, 100));
  });

  test('leaves nothing after a week', async () => {
    const { database } = stage.app;
    const line = await openLine(stage, sender);
    await signFor(line, 'old.example');
    assert.equal((await hintsOf(line)).length, 1);
    await database.run('update telephony_refusals set piece = piece - $1 where account_id = $2', [
      Math.ceil(WEEK_MS / 900_000) + 1,
      line.account.id,
    ]);
    assert.deepEqual(await hintsOf(line), []);
    assert.ok((await deleteRefusalsBefore(database, Date.now() - WEEK_MS)) >= 1);
    const left = 'select count(*) as n from telephony_refusals where account_id = $1';
    assert.equal(Number((await database.get<{ n: number }>(left, [line.account.id]))?.n), 0);
  });
});
