import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { FORM_TYPE, JSON_TYPE, type Line, openLine, type Sent, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PER_MINUTE = 600;
const LIMIT = 256 * 1024;

/** As many names as fit into a body: sorting them is what costs. */
const manyNames = (bytes: number): string => {
  const names: string[] = [];
  for (let size = 0, index = 0; size < bytes - 8; index++) {
    const name = `${index.toString(36)}=`;
    names.push(name);
    size += name.length + 1;
  }
  return names.join('&');
};

const manyFields = (count: number): string =>
  JSON.stringify({
    eventType: 'initiate',
    accountId: '5500000',
    callId: 'c-1',
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1])),
  });

onOneEngine('a delivery that is expensive to read', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let addresses = 0;

  const newAddress = (): string => `198.51.100.${++addresses}`;
  const sendFrom = async (remoteAddress: string, sent: Sent) => toAnswer(await send(stage, sent, remoteAddress));
  const post = (type: string, body: string): Sent => ({ method: 'POST', target: VOICE, type, body, headers: {} });
  const forged = (line: Line): Sent =>
    line.sign(line.print(line.sender.rings(line.accountId, line.sender.newCallId())), {}, line.sender.newKey());
  /** A few more than needed: a new process doesn't know yet whom it would refuse. */
  const exhaust = async (address: string, sent: Sent): Promise<void> => {
    for (let count = 0; count < PER_MINUTE + 200; count += 100)
      await Promise.all(Array.from({ length: 100 }, () => sendFrom(address, sent)));
  };

  test('is not read if it has more names than any provider sends', async () => {
    const tooMany = { form: post(FORM_TYPE, manyNames(LIMIT)), json: post(JSON_TYPE, manyFields(10_000)) };
    for (const [what, sent] of Object.entries(tooMany))
      assert.equal(
        expectProblem(await sendFrom(newAddress(), sent), 403, what).code,
        'telephony.signature_invalid',
        what,
      );
    const asked = { ...post(FORM_TYPE, ''), method: 'GET' as const, target: `${VOICE}?${manyNames(7_000)}` };
    expectProblem(await sendFrom(newAddress(), asked), 403, 'a query');
    const addressed = { ...post(FORM_TYPE, 'CallSid=CA1'), target: `${VOICE}?${manyNames(1_000)}` };
    expectProblem(await sendFrom(newAddress(), addressed), 403, 'the address of a POST');
  });

  test('costs an honest sender nothing in the end if asked for its password first', async () => {
    const sender = senderOf('bandwidth');
    const line = await openLine(stage, sender);
    const address = newAddress();
    const told = () => line.print(sender.rings(line.accountId, sender.newCallId()));
    for (let count = 0; count < PER_MINUTE + 50; count++) {
      const sent = told();
      assert.equal((await sendFrom(address, { ...sent, headers: {} })).status, 401);
      assert.equal((await sendFrom(address, line.sign(sent))).status, 200);
    }
    expectProblem(await sendFrom(address, post(JSON_TYPE, manyFields(4_000))), 401, 'a long one is still read');
  });

  test('is counted even if it carries no proof at all', async () => {
    const address = newAddress();
    const bare = post(JSON_TYPE, manyFields(10));
    await exhaust(address, bare);
    const long = post(JSON_TYPE, manyFields(4_000));
    expectProblem(await sendFrom(address, long), 429, 'a long one after many');
    expectProblem(await sendFrom(address, bare), 401, 'Bandwidth is still asked for its password');
    expectProblem(await sendFrom(newAddress(), long), 401, 'a long one from elsewhere');
  });

  test('is refused unread after many refusals, and what verifies is still answered', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const address = newAddress();
    await exhaust(address, forged(line));
    const [long] = [post(FORM_TYPE, `a=${'x'.repeat(LIMIT - 100)}`)];
    expectProblem(await sendFrom(address, long ?? assert.fail()), 429, 'a long one');
    const honest = line.honest(sender.rings(line.accountId, sender.newCallId()));
    assert.equal((await sendFrom(address, honest)).status, 200);
  });

  test('is accepted up to the limit if it verifies', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const told = sender.rings(line.accountId, sender.newCallId());
    const large = line.print({ ...told, fields: { ...told.fields, Note: 'x'.repeat(LIMIT - 2_000) } });
    assert.equal((await sendFrom(newAddress(), line.sign(large))).status, 200);
  });

  test('for an account in observe mode is held only as often as a stranger may be refused', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender, { mode: 'observe', answer: { greeting: 'Welcome.' } });
    const address = newAddress();
    const statuses = new Set<number>();
    for (let count = 0; count < PER_MINUTE + 100; count++) statuses.add((await sendFrom(address, forged(line))).status);
    assert.deepEqual([...statuses], [200], 'Callers are answered all the same.');
    assert.equal((await line.count()).held, PER_MINUTE);
  });
});
