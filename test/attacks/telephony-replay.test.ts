import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { type Line, openLine, SENDERS, type Sent, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage, RECORDING, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const COPIES = 1_000;
/** If all came at once on a busy machine, some would take longer than a sender waits, and go to the journal. */
const AT_ONCE = 12;
const STEPS = ['status', 'dialed', 'voicemail', 'screen', 'screened', 'anything'];

onEachEngine('a delivery that arrives again', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const tellWhole = (line: Line): Sent[] => {
    const { sender, accountId, honest } = line;
    const callId = sender.newCallId();
    return [
      honest(sender.rings(accountId, callId)),
      honest(sender.ends(accountId, callId)),
      honest(sender.recorded(accountId, callId, sender.newCallId().replace(/^CA/, 'RE'))),
    ];
  };

  /** Everything stored about the line, except when a secret was last used. */
  const readAll = async (line: Line) => {
    await stage.app.telephony.settle();
    const rows = (table: string, order: string) =>
      stage.app.database.all(`select * from ${table} where account_id = $1 order by ${order}`, [line.account.id]);
    const events = await stage.app.database.all(
      `select e.* from call_events e join calls c on c.id = e.call_id where c.account_id = $1 order by e.event_key`,
      [line.account.id],
    );
    const jobs = await stage.app.database.get<{ n: number }>('select count(*) as n from jobs');
    return {
      deliveries: await rows('deliveries', 'id'),
      calls: await rows('calls', 'id'),
      recordings: await rows('recordings', 'id'),
      events,
      jobs: Number(jobs?.n),
    };
  };

  test('a thousand times, a dozen at once, makes one delivery, one call and the same events', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const [ring, end] = tellWhole(line);
    assert.ok(ring && end);
    const copies = Array.from({ length: AT_ONCE }, (_, index) => (index % 2 === 0 ? ring : end));
    const answers = [];
    while (answers.length < COPIES) answers.push(...(await Promise.all(copies.map((sent) => send(stage, sent)))));
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))].sort(), [200, 204]);
    assert.equal(new Set(answers.filter((_, index) => index % 2 === 0).map(({ body }) => body)).size, 1);
    const { deliveries, calls, events } = await readAll(line);
    assert.deepEqual([deliveries.length, calls.length, events.length], [2, 1, 2]);
    assert.deepEqual(await line.states(), ['processed', 'processed']);
    const [call] = await line.calls();
    assert.deepEqual([call.status, call.outcome], ['ended', 'missed']);
  });

  for (const sender of SENDERS) {
    test(`from ${sender.provider}, after it was processed, changes nothing`, async () => {
      const line = await openLine(stage, sender);
      const story = tellWhole(line);
      for (const sent of story) assert.ok((await send(stage, sent)).statusCode < 300, `${sent.target} ${sent.body}`);
      const before = await readAll(line);
      assert.deepEqual([before.deliveries.length, before.calls.length, before.recordings.length], [3, 1, 1]);
      assert.ok((await line.states()).every((state) => state === 'processed'));
      stage.clock.advance(60_000);
      for (const sent of [...story.toReversed(), ...story])
        assert.ok((await send(stage, sent)).statusCode < 300, 'It is acknowledged again.');
      assert.deepEqual(await readAll(line), before);
    });

    // Anyone who can send something as Bandwidth has its password. Nothing is signed there, so there's no need to
    // replay anything.
    if (!sender.covers.content) continue;
    test(`from ${sender.provider}, at the other address or another step, changes no outcome`, async () => {
      const line = await openLine(stage, sender);
      const story = tellWhole(line);
      for (const sent of story) assert.ok((await send(stage, sent)).statusCode < 300);
      const before = await line.calls();
      const whole = await line.call(before[0].id);
      const elsewhere = story.flatMap((sent) => {
        const target = sent.target.replace(/&step=\w+/, '');
        const other = target.includes(VOICE) ? target.replace(VOICE, RECORDING) : target.replace(RECORDING, VOICE);
        return [target, other, ...STEPS.flatMap((step) => [`${target}&step=${step}`, `${other}&step=${step}`])]
          .filter((one) => one !== sent.target)
          .map((one) => ({ ...sent, target: one }));
      });
      for (const sent of elsewhere) {
        const { statusCode } = await send(stage, sent);
        if (sender.covers.address) assert.equal(statusCode, 403, sent.target);
        else assert.ok(statusCode < 500, `${sent.target}: ${statusCode}`);
      }
      assert.deepEqual(await line.calls(), before);
      assert.deepEqual(await line.call(before[0].id), whole);
    });
  }

  for (const provider of ['telnyx', 'vonage']) {
    test(`from ${provider}, after its signature expired, is refused`, async () => {
      const sender = senderOf(provider);
      const line = await openLine(stage, sender);
      const [ring, late, early] = [1, 2, 3].map(() => line.honest(sender.rings(line.accountId, sender.newCallId())));
      assert.ok(ring && late && early);
      assert.equal((await send(stage, ring)).statusCode, 200);
      stage.clock.advance(299_000);
      assert.equal((await send(stage, late)).statusCode, 200, 'Until its last moment.');
      stage.clock.advance(2_000);
      for (const sent of [ring, late, early]) {
        const { code } = expectProblem(toAnswer(await send(stage, sent)), 403, 'a stale one');
        assert.equal(code, 'telephony.signature_invalid');
      }
      const ahead = line.sign(line.print(sender.rings(line.accountId, sender.newCallId())), {
        now: stage.clock.now() + 301_000,
      });
      assert.equal((await send(stage, ahead)).statusCode, 403, 'One from the future is none either.');
      assert.deepEqual(await line.count(), { deliveries: 2, calls: 2, recordings: 0, held: 0 });
      const { refusals } = await line.read();
      assert.deepEqual(
        refusals.map(({ reason, count }: { reason: string; count: number }) => [reason, count]),
        [['stale', 4]],
      );
    });
  }

  test('at two processes at once makes one delivery and one call', async () => {
    const sender = senderOf('plivo');
    const line = await openLine(stage, sender);
    const other = await stage.openOther();
    try {
      await other.app.telephony.context.switchboard.refresh();
      const story = tellWhole(line);
      const copies = Array.from({ length: AT_ONCE }, (_, index) => story[index % story.length] ?? assert.fail());
      for (let times = 0; times < 5; times++) {
        const answers = await Promise.all(copies.map((sent, index) => send(index % 2 ? stage : other, sent)));
        assert.ok(answers.every(({ statusCode }) => statusCode === 200));
      }
      await other.app.telephony.settle();
      assert.deepEqual(await line.count(), { deliveries: 3, calls: 1, recordings: 1, held: 0 });
      assert.deepEqual(new Set(await line.states()), new Set(['processed']));
    } finally {
      await other.close();
    }
  });

  test('from another team with the same account id is a separate delivery and touches no other', async () => {
    const sender = senderOf('bandwidth');
    const line = await openLine(stage, sender);
    const twin = await openLine(stage, sender, { accountId: line.accountId });
    const callId = sender.newCallId();
    const told = [sender.rings(line.accountId, callId), sender.ends(line.accountId, callId)];
    for (const one of told) assert.ok((await send(stage, line.honest(one))).statusCode < 300);
    const before = await readAll(line);
    for (const one of told) assert.ok((await send(stage, twin.honest(one))).statusCode < 300);
    assert.deepEqual(await readAll(line), before);
    assert.deepEqual(await twin.count(), { deliveries: 2, calls: 1, recordings: 0, held: 0 });
  });
});
