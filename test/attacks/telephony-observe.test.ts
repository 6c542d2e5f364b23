import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { FORM_TYPE, type Line, openLine, SENDERS, type Sent, send, senderOf } from '../harness/telephony-senders.ts';
import { COLLEAGUE, newRecordingSid, openTelephonyStage, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const MOST = 1_000;
const MOST_BYTES = 10 * 1024 * 1024;
/** More than an address may be refused in a minute. */
const FLOOD = 650;

type Stage = Awaited<ReturnType<typeof openTelephonyStage>>;

/** Accounts that observe, and what arrives for them. */
const createObserving = (stage: Stage) => {
  const openObserved = (provider: string, answer: object = { greeting: 'Welcome.' }) =>
    openLine(stage, senderOf(provider), { mode: 'observe', answer });

  /** As it arrives if the admin entered a different secret than the provider has. */
  const stray = (line: Line, key = line.sender.newKey()): Sent =>
    line.sign(line.print(line.sender.rings(line.accountId, line.sender.newCallId())), {}, key);

  const release = async (line: Line, headers = line.team.admin.headers) =>
    stage.server.inject({ method: 'POST', url: `/api/telephony/accounts/${line.account.id}/release`, headers });
  const patch = async (line: Line, payload: object) => {
    const url = `/api/telephony/accounts/${line.account.id}`;
    const answer = await stage.server.inject({ method: 'PATCH', url, headers: line.team.admin.headers, payload });
    assert.equal(answer.statusCode, 200, answer.body);
  };

  const countJobs = async () =>
    Number((await stage.app.database.get<{ n: number }>('select count(*) as n from jobs'))?.n);

  return { openObserved, stray, release, patch, countJobs };
};

onOneEngine('an account in observe mode', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const { openObserved, stray, release, patch, countJobs } = createObserving(stage);

  for (const sender of SENDERS) {
    test(`at ${sender.provider} answers what cannot be verified, holds it sealed and makes no call of it`, async () => {
      const line = await openObserved(sender.provider);
      const jobs = await countJobs();
      const ring = await send(stage, stray(line));
      assert.equal(ring.statusCode, 200, ring.body);
      assert.match(ring.body, /Welcome/);
      const callId = sender.newCallId();
      const recordingId = sender.provider === 'twilio' ? newRecordingSid() : sender.newCallId();
      for (const told of [sender.ends(line.accountId, callId), sender.recorded(line.accountId, callId, recordingId)]) {
        const answer = await send(stage, line.sign(line.print(told), {}, sender.newKey()));
        assert.ok(answer.statusCode === 200 || answer.statusCode === 204, answer.body);
      }
      assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 3 });
      assert.equal(await countJobs(), jobs, 'Nothing is fetched.');
      const rows = await stage.app.database.all<{ content: string }>(
        'select content from held_deliveries where account_id = $1',
        [line.account.id],
      );
      for (const { content } of rows) assert.doesNotMatch(content, /5551230001|CallSid|conversation|eventType/);
      const { held, mode, refusals } = await line.read();
      assert.deepEqual([held.count, held.most, mode], [3, MOST, 'observe']);
      assert.ok(held.bytes > 0);
      assert.ok(refusals.length > 0, 'An admin is told.');
      assert.equal((await send(stage, line.honest(sender.rings(line.accountId, sender.newCallId())))).statusCode, 200);
      assert.deepEqual(await line.count(), { deliveries: 1, calls: 1, recordings: 0, held: 3 });
    });

    test(`at ${sender.provider} releases what the right secret verifies, as of its arrival, and nothing forged`, async () => {
      const line = await openObserved(sender.provider);
      const right = sender.newKey();
      const callId = sender.newCallId();
      const told = [sender.rings(line.accountId, callId), sender.ends(line.accountId, callId)];
      for (const one of told) assert.ok((await send(stage, line.sign(line.print(one), {}, right))).statusCode < 300);
      assert.ok((await send(stage, stray(line))).statusCode < 300, 'Somebody else is in there too.');
      assert.deepEqual((await release(line)).json(), { released: 0, held: 3 }, 'Nothing fits yet.');
      assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 3 });
      const receivedAt = stage.clock.now();
      stage.clock.advance(DAY_MS);
      await patch(line, { addSecret: right.secret });
      assert.deepEqual((await release(line)).json(), { released: 2, held: 1 });
      assert.deepEqual(await line.count(), { deliveries: 2, calls: 1, recordings: 0, held: 1 });
      assert.deepEqual(await line.states(), ['processed', 'processed']);
      const [call] = await line.calls();
      assert.equal(call.status, 'ended');
      assert.ok(Date.parse(call.startedAt) < receivedAt + 60_000, 'It was when it was.');
      assert.deepEqual((await release(line)).json(), { released: 0, held: 1 }, 'Once.');
      assert.deepEqual(await line.count(), { deliveries: 2, calls: 1, recordings: 0, held: 1 });
    });
  }

  test('observes for seven days and then refuses by itself', async () => {
    const line = await openObserved('twilio');
    stage.clock.advance(7 * DAY_MS - 1_000);
    assert.equal((await send(stage, stray(line))).statusCode, 200, 'Until its last moment.');
    stage.clock.advance(1_000);
    const { code } = expectProblem(toAnswer(await send(stage, stray(line))), 403, 'after seven days');
    assert.equal(code, 'telephony.signature_invalid');
    assert.equal((await line.count()).held, 1);
    const { mode, observeUntil } = await line.read();
    assert.deepEqual([mode, observeUntil], ['enforce', null]);
    await patch(line, { removesArchived: true });
    assert.equal((await send(stage, stray(line))).statusCode, 403, 'Another change does not begin it anew.');
  });

  test('is released by its own admin only, and audited', async () => {
    const line = await openObserved('twilio');
    await send(stage, stray(line));
    const { admin: foreign } = await stage.createTeam(`foreign-${engine}`);
    expectProblem(toAnswer(await release(line, foreign.headers)), 404, "another team's admin");
    expectProblem(toAnswer(await release(line, line.team.member.headers)), 403, 'a member');
    assert.equal((await release(line)).statusCode, 200);
    const audit = await stage.server.inject({ url: '/api/audit', headers: line.team.admin.headers });
    const released = audit
      .json()
      .events.filter(({ action }: { action: string }) => action === 'telephony.account.release');
    assert.equal(released.length, 1);
    assert.deepEqual(released[0].detail, { released: 0, held: 1 });
  });
});

onEachEngine('an account in observe mode that holds much, or is changed by several', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const { openObserved, stray, release, patch } = createObserving(stage);

  test('holds a thousand deliveries and not one more, even if they arrive at once', async () => {
    const line = await openObserved('twilio');
    const key = line.sender.newKey();
    const statusOf = async (told: Sent) => (await send(stage, told)).statusCode;
    const notice = () => line.sign(line.print(line.sender.ends(line.accountId, line.sender.newCallId())), {}, key);
    const fill = async (times: number) => {
      for (let left = times; left > 0; left -= 100) {
        await Promise.all(Array.from({ length: Math.min(100, left) }, () => statusOf(notice())));
        // Above this rate, nothing more from an address is held.
        stage.clock.advance(10_000);
      }
    };
    await fill(MOST - 50);
    const last = await Promise.all(Array.from({ length: 150 }, () => send(stage, notice())));
    const kept = last.filter(({ statusCode }) => statusCode === 204);
    assert.equal(kept.length, 50);
    for (const answer of last.filter(({ statusCode }) => statusCode !== 204))
      assert.equal(expectProblem(toAnswer(answer), 503, 'no room').code, 'telephony.not_kept');
    assert.equal((await line.count()).held, MOST);
    const ring = await send(stage, stray(line));
    assert.equal(ring.statusCode, 200, 'Whoever calls is answered all the same.');
    assert.match(ring.body, /Welcome/);
    assert.equal((await line.count()).held, MOST);
    assert.equal(
      (await send(stage, line.honest(line.sender.rings(line.accountId, line.sender.newCallId())))).statusCode,
      200,
    );
    const other = await openObserved('twilio');
    assert.equal((await send(stage, stray(other))).statusCode, 200);
    assert.equal((await other.count()).held, 1, "Another's room is its own.");
  });

  test('holds ten mebibytes and not a byte more', async () => {
    const line = await openObserved('twilio');
    const body = `${line.print(line.sender.ends(line.accountId, line.sender.newCallId())).body}&a=`.padEnd(
      255 * 1024,
      'x',
    );
    const large: Sent = {
      method: 'POST',
      target: line.targetOf({ route: 'voice', step: 'status' }),
      type: FORM_TYPE,
      body,
      headers: { 'x-twilio-signature': 'AAAA' },
    };
    const statuses: number[] = [];
    for (let index = 0; index < 45; index++) statuses.push((await send(stage, large)).statusCode);
    assert.ok(statuses.includes(204) && statuses.includes(503), statuses.join());
    assert.deepEqual(statuses, [...statuses].sort(), 'Once full, it stays full.');
    const { held } = await line.read();
    assert.ok(held.bytes <= MOST_BYTES && held.bytes > MOST_BYTES / 2, `${held.bytes}`);
  });

  test('refuses as soon as it is told to, in this process and in others', async () => {
    const line = await openObserved('plivo');
    const other = await stage.openOther();
    try {
      assert.equal((await send(other, stray(line))).statusCode, 200);
      await patch(line, { mode: 'enforce' });
      assert.equal((await send(stage, stray(line))).statusCode, 403);
      stage.clock.advance(1_000);
      assert.equal((await send(other, stray(line))).statusCode, 403);
    } finally {
      await other.close();
    }
  });

  test('released twice at once turns everything into one delivery each', async () => {
    const line = await openObserved('telnyx');
    const right = line.sender.newKey();
    const sent = Array.from({ length: 20 }, () => stray(line, right));
    for (const one of [...sent, ...sent]) await send(stage, one);
    assert.equal((await line.count()).held, 40);
    await patch(line, { addSecret: right.secret });
    await Promise.all([release(line), release(line), release(line)]);
    assert.deepEqual(await line.count(), { deliveries: 20, calls: 20, recordings: 0, held: 0 });
    const { headers } = line.team.admin;
    const { payloads } = (await stage.server.inject({ url: '/api/telephony/storage', headers })).json();
    const stored = await stage.app.database.get<{ bytes: number }>(
      'select sum(length(payload)) as bytes from deliveries where account_id = $1',
      [line.account.id],
    );
    assert.equal(payloads.bytes, Number(stored?.bytes), 'What came twice counts once.');
  });

  test('answers a flood from one address, and holds none of it once that is slowed down', async () => {
    const line = await openObserved('twilio');
    const address = '192.0.2.77';
    const forged: Sent = { ...stray(line), target: `${VOICE}?account=unknown` };
    for (let count = 0; count < FLOOD; count++) await send(stage, forged, address);
    const ring = await send(stage, stray(line), address);
    assert.equal(ring.statusCode, 200, ring.body);
    assert.match(ring.body, /Welcome/);
    const notice = line.sign(
      line.print(line.sender.ends(line.accountId, line.sender.newCallId())),
      {},
      line.sender.newKey(),
    );
    const refused = toAnswer(await send(stage, notice, address));
    assert.equal(expectProblem(refused, 503, 'a notice that is not held').code, 'telephony.not_kept');
    assert.equal((await line.count()).held, 0);
    assert.equal((await send(stage, stray(line))).statusCode, 200);
    assert.equal((await line.count()).held, 1, 'From another address, it is held.');
  });

  test('takes what it holds along when removed', async () => {
    const line = await openObserved('twilio');
    await send(stage, stray(line));
    const url = `/api/telephony/accounts/${line.account.id}`;
    assert.equal(
      (await stage.server.inject({ method: 'DELETE', url, headers: line.team.admin.headers })).statusCode,
      204,
    );
    assert.equal((await line.count()).held, 0);
    assert.equal((await send(stage, stray(line))).statusCode, 403);
  });

  test("of another team with the same account id does not answer for one's own", async () => {
    const sender = senderOf('twilio');
    const own = await openLine(stage, sender, { answer: { greeting: 'Welcome.' } });
    const theirs = await openLine(stage, sender, {
      accountId: own.accountId,
      mode: 'observe',
      answer: { greeting: 'Taken over.', forwardTo: [COLLEAGUE] },
    });
    const unnamed = { ...own.print(sender.rings(own.accountId, sender.newCallId())), target: VOICE };
    // Signed with a token that the owner hasn't entered yet.
    const answer = await send(stage, own.sign(unnamed, {}, sender.newKey()));
    assert.doesNotMatch(answer.body, /Taken over/);
    assert.equal((await theirs.count()).held, 0, "A stranger's team holds what was meant for another.");
    assert.deepEqual((await theirs.read()).refusals, [], 'It does not learn that there was a call.');
    assert.equal((await send(stage, own.sign(unnamed))).statusCode, 200);
    assert.deepEqual([(await own.count()).calls, (await theirs.count()).calls], [1, 0]);
  });
});

onOneEngine('a Bandwidth account in observe mode', (engine) => {
  const stage = useStage(() => {
    const keys = { PATCHBAY_URL: 'https://hooks.example.test', PATCHBAY_SANDBOX: 'off' };
    return openTelephonyStage(engine, { env: keys });
  });

  describe('reveals the password’s validity only to whoever has it', () => {
    for (const mode of ['observe', 'enforce'])
      test(`in ${mode} mode`, async () => {
        const sender = senderOf('bandwidth');
        const answer = { greeting: 'Welcome.', forwardTo: [COLLEAGUE], screen: true, record: true };
        const line = await openLine(stage, sender, { mode, answer });
        const [, password = ''] = line.key.secret.split(':');
        const ring = line.print(sender.rings(line.accountId, sender.newCallId()));
        const wrong = { authorization: `Basic ${Buffer.from('patchbay:wrong').toString('base64')}` };
        const query = new URLSearchParams({ eventType: 'initiate', callId: 'c-1', to: '+15551239999' });
        const strangers: Sent[] = [
          { ...ring, headers: {} },
          { ...ring, headers: wrong },
          { ...ring, method: 'GET', target: `${ring.target}&${query}`, body: '', headers: {} },
          { ...ring, target: ring.target.replace(/account=[^&]+/, 'a=1'), headers: wrong },
        ];
        for (const sent of strangers) {
          const reply = await send(stage, sent);
          const text = `${JSON.stringify(reply.headers)}${reply.body}`;
          assert.doesNotMatch(text, new RegExp(password));
          assert.doesNotMatch(text, /username=|password=/);
          if (mode === 'enforce') assert.equal(reply.statusCode, 401);
        }
        const own = await send(stage, line.honest(sender.rings(line.accountId, sender.newCallId())));
        assert.match(own.body, new RegExp(`password="${password}"`), 'Whoever has it is told to bring it again.');
      });
  });
});
