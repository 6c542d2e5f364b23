import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { type Line, openLine, type Sent, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { watchVerify } from '../harness/watch-verify.ts';

const OTHER_SCHEME = 'https://localhost:3000';
const SISTERS = 49;
const PER_ACCOUNT = 30;
const PER_TEAM = 60;

onOneEngine('diagnosing refusals', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const sender = senderOf('twilio');

  /** A call with more fields than usual, up to this many bytes. */
  const ringWith = (line: Line, bytes: number) => {
    const told = sender.rings(line.accountId, sender.newCallId());
    const value = 'x'.repeat(bytes / 150);
    const more = Object.fromEntries(Array.from({ length: 140 }, (_, index) => [`Field${index}`, value]));
    return line.print({ ...told, fields: { ...told.fields, ...more } });
  };

  const hintsOf = async (line: Line): Promise<[string, number][]> =>
    (await line.read()).refusals.map(({ hint, count }: { hint: string; count: number }) => [hint, count]);

  const refuseAll = async (all: readonly Sent[]) => {
    const answers = await Promise.all(all.map((one) => send(stage, one)));
    for (const { statusCode, body } of answers) assert.equal(statusCode, 403, body);
  };

  test('is done for deliveries of the usual size only', async () => {
    const line = await openLine(stage, sender);
    await refuseAll([line.sign(ringWith(line, 10_000), { at: OTHER_SCHEME })]);
    await refuseAll([line.sign(ringWith(line, 100_000), { at: OTHER_SCHEME })]);
    const hints = (await hintsOf(line)).map(([hint]) => hint.split(':')[0]).sort();
    assert.deepEqual(hints, ['scheme', 'too large to check which change would make it valid']);
  });

  test('leaves turns for others, however many accounts and secrets a team has', async (t) => {
    const line = await openLine(stage, sender);
    for (let left = SISTERS; left > 0; left--) {
      const secrets = Array.from({ length: 10 }, () => sender.newKey().secret);
      const made = await stage.server.inject({
        ...{ method: 'POST', url: '/api/telephony/accounts', headers: line.team.admin.headers },
        payload: { provider: sender.provider, accountId: sender.newAccountId(), secrets },
      });
      assert.equal(made.statusCode, 201, made.body);
    }
    const forge = () => line.sign(ringWith(line, 12_000), {}, sender.newKey());
    const forged = Array.from({ length: PER_ACCOUNT }, forge);
    const seen = watchVerify(t, stage.app.telephony.providers, sender.provider);
    await refuseAll(forged);
    const whenAnswered = seen.total;
    await stage.app.telephony.settle();
    assert.ok(seen.total > SISTERS * PER_ACCOUNT, `${seen.total} checks.`);
    assert.ok(whenAnswered < seen.total, 'The sender waits for none of it.');
    assert.ok(seen.busiestTurn < seen.total / 2, `${seen.busiestTurn} of ${seen.total} checks in one turn.`);
    assert.deepEqual(await hintsOf(line), [
      ['most likely, the secret here is not the one at the provider; compare them', PER_ACCOUNT],
    ]);
  });

  test('has a budget for a team, whichever of its accounts are named', async () => {
    const first = await openLine(stage, sender);
    const lines = [first];
    for (let left = 3; left > 0; left--) lines.push(await openLine(stage, sender, { team: first.team }));
    const strays = (line: Line) =>
      Array.from({ length: PER_ACCOUNT }, () => line.sign(ringWith(line, 1_000), { at: OTHER_SCHEME }));
    for (const line of lines) await refuseAll(strays(line));
    const counted = new Map<string, number>();
    for (const line of lines)
      for (const [hint, count] of await hintsOf(line)) counted.set(hint, (counted.get(hint) ?? 0) + count);
    const diagnosed = [...counted].filter(([hint]) => hint.startsWith('scheme')).map(([, count]) => count);
    assert.deepEqual(diagnosed, [PER_TEAM], JSON.stringify([...counted]));
    assert.equal(counted.get('too many requests to check each one'), lines.length * PER_ACCOUNT - PER_TEAM);
    const other = await openLine(stage, sender);
    await refuseAll(strays(other).slice(0, 1));
    assert.match((await hintsOf(other))[0]?.[0] ?? '', /^scheme/);
  });
});
