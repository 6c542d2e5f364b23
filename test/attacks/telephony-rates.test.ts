import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { openLine, SENDERS, type Sent, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage, RECORDING, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const FLOOD = 700;
const MINUTE_MS = 60_000;

onOneEngine('a flood of forged deliveries', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let addresses = 0;

  const newAddress = (): string => `192.0.2.${++addresses}`;
  const sendFrom = async (remoteAddress: string, sent: Sent) => toAnswer(await send(stage, sent, remoteAddress));

  const flood = async (remoteAddress: string, sent: Sent) => {
    const answers = await Promise.all(Array.from({ length: FLOOD }, () => sendFrom(remoteAddress, sent)));
    const statuses = new Map<number, number>();
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return { answers, statuses };
  };

  for (const sender of SENDERS) {
    test(`posing as ${sender.provider} is slowed down by address, while what verifies from there is answered immediately`, async () => {
      const line = await openLine(stage, sender);
      const address = newAddress();
      const fresh = () => line.honest(sender.rings(line.accountId, sender.newCallId()));
      const forged = line.sign(line.print(sender.rings(line.accountId, sender.newCallId())), {}, sender.newKey());
      const { answers, statuses } = await flood(address, forged);
      assert.deepEqual([...statuses.keys()].sort(), [sender.refusal, 429], JSON.stringify([...statuses]));
      const slowed = answers.find(({ status }) => status === 429) ?? assert.fail();
      assert.equal(expectProblem(slowed, 429, 'the flood').code, 'http.rate_limited');
      assert.equal((await sendFrom(address, forged)).status, 429, 'Still.');
      for (let index = 0; index < 20; index++) assert.equal((await sendFrom(address, fresh())).status, 200);
      assert.equal(
        (await sendFrom(newAddress(), forged)).status,
        sender.refusal,
        'Another address is not slowed down.',
      );
      assert.deepEqual(await line.count(), { deliveries: 20, calls: 20, recordings: 0, held: 0 });
      stage.clock.advance(MINUTE_MS);
      assert.equal((await sendFrom(address, forged)).status, sender.refusal, 'A minute later it is listened to again.');
    });
  }

  test('posing as Bandwidth does not stop Bandwidth from being asked for its password, or it could never verify', async () => {
    const sender = senderOf('bandwidth');
    const line = await openLine(stage, sender);
    const address = newAddress();
    const told = () => line.print(sender.rings(line.accountId, sender.newCallId()));
    await flood(address, line.sign(told(), {}, sender.newKey()));
    await flood(address, { ...told(), headers: {} });
    const asked = await sendFrom(address, { ...told(), headers: {} });
    expectProblem(asked, 401, 'the first request of every delivery');
    assert.match(asked.headers['www-authenticate'] ?? '', /^Basic\b/);
    assert.equal((await sendFrom(address, line.sign(told()))).status, 200);
  });

  test('is not paid for by deliveries of one’s own that verify', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const address = newAddress();
    const honest = () => line.honest(sender.rings(line.accountId, sender.newCallId()));
    const forged = line.sign(line.print(sender.rings(line.accountId, sender.newCallId())), {}, sender.newKey());
    const statuses = new Map<number, number>();
    for (let index = 0; index < FLOOD; index++) {
      const { status } = await sendFrom(address, forged);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (index % 10 === 0) assert.equal((await sendFrom(address, honest())).status, 200);
    }
    assert.deepEqual(Object.fromEntries(statuses), { 403: 600, 429: FLOOD - 600 });
  });

  test('is not what Bandwidth sends: a request without a password costs nothing once the next one has it', async () => {
    const sender = senderOf('bandwidth');
    const line = await openLine(stage, sender);
    const address = newAddress();
    const told = () => line.print(sender.rings(line.accountId, sender.newCallId()));
    for (let index = 0; index < FLOOD; index++) {
      assert.equal((await sendFrom(address, { ...told(), headers: {} })).status, 401);
      assert.equal((await sendFrom(address, line.sign(told()))).status, 200);
    }
    const forged = line.sign(told(), {}, sender.newKey());
    assert.equal((await sendFrom(address, forged)).status, 401, 'Its refusals are all left.');
  });

  test('that names no account, or no provider at all, is slowed down too', async () => {
    const blank: Sent = { method: 'POST', target: RECORDING, type: 'text/plain', body: 'x', headers: {} };
    const { statuses } = await flood(newAddress(), blank);
    assert.deepEqual([...statuses.keys()].sort(), [403, 429]);
    const unknown = { ...blank, target: `${VOICE}?account=unknown`, headers: { 'x-twilio-signature': 'A' } };
    assert.deepEqual([...(await flood(newAddress(), unknown)).statuses.keys()].sort(), [403, 429]);
  });

  test('keeps nobody else from the service, whatever address its headers claim', async () => {
    const line = await openLine(stage, SENDERS[0] ?? assert.fail());
    const address = newAddress();
    const forged = line.sign(
      line.print(line.sender.rings(line.accountId, line.sender.newCallId())),
      {},
      line.sender.newKey(),
    );
    const statuses = new Set<number>();
    for (let index = 0; index < FLOOD; index++) {
      const claimed = { 'x-forwarded-for': `198.51.100.${index % 250}`, 'x-real-ip': `198.51.100.${index % 250}` };
      statuses.add((await sendFrom(address, { ...forged, headers: { ...forged.headers, ...claimed } })).status);
    }
    assert.deepEqual([...statuses].sort(), [403, 429], 'An address that is only claimed gains nothing.');
    const team = await stage.server.inject({
      url: '/api/team',
      headers: line.team.member.headers,
      remoteAddress: address,
    });
    assert.equal(team.statusCode, 200);
  });

  test('is counted for the account instead of being examined one by one', async () => {
    const line = await openLine(stage, SENDERS[0] ?? assert.fail());
    const forged = line.sign(
      line.print(line.sender.rings(line.accountId, line.sender.newCallId())),
      {},
      line.sender.newKey(),
    );
    for (let index = 0; index < 100; index++) await sendFrom(newAddress(), forged);
    const { refusals } = await line.read();
    const total = refusals.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    assert.equal(total, 100);
    assert.ok(refusals.length <= 2, JSON.stringify(refusals));
  });
});
