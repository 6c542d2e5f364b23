import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer, withoutRequestId } from '../harness/problem.ts';
import { type Line, openLine, SENDERS, type Sent, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage, SERVICE_URL } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

type Refusal = { reason: string; hint: string; count: number };

/** How an address can differ from what was signed; `heard` are the headers that come with it. */
const CHANGES: Record<string, { hint: RegExp; at?: string; heard?: Record<string, string>; slash?: boolean }> = {
  'another scheme': { at: 'https://localhost:3000', hint: /^scheme: signed for https:\/\// },
  'another host': {
    at: 'http://old.example:3000',
    heard: { host: 'old.example:3000' },
    hint: /^host: signed for old\.example:3000, /,
  },
  'a host before a proxy': {
    at: 'http://front.example',
    heard: { host: 'localhost:3000', 'x-forwarded-host': 'front.example, inner.example' },
    hint: /^host: signed for front\.example, /,
  },
  'another port': {
    at: 'http://localhost:8443',
    heard: { host: 'localhost:8443' },
    hint: /^port: signed for localhost:8443, /,
  },
  'a trailing slash': { slash: true, hint: /^trailing slash: / },
};

onOneEngine('a refusal', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const refusalsOf = async (line: Line): Promise<[string, string, number][]> =>
    ((await line.read()).refusals as Refusal[]).map(({ reason, hint, count }) => [reason, hint, count]);

  const refuse = async (line: Line, sent: Sent) =>
    expectProblem(toAnswer(await send(stage, sent)), line.sender.refusal, sent.target);

  for (const sender of SENDERS.filter(({ covers }) => covers.address)) {
    for (const [what, { at = SERVICE_URL, heard = {}, slash = false, hint }] of Object.entries(CHANGES))
      test(`from ${sender.provider} tells the admin that it was ${what}, and nothing else`, async () => {
        const line = await openLine(stage, sender);
        const request = line.print(sender.rings(line.accountId, sender.newCallId()));
        const signedFor = slash ? { ...request, target: request.target.replace('?', '/?') } : request;
        const { headers } = line.sign(signedFor, { at });
        await refuse(line, { ...request, headers: { ...headers, ...heard } });
        const [refusal, ...others] = await refusalsOf(line);
        assert.deepEqual(others, []);
        assert.equal(refusal?.[0], 'bad_signature');
        assert.match(refusal?.[1] ?? '', hint);
        assert.equal(refusal?.[2], 1);
        assert.equal(
          (await send(stage, line.honest(sender.rings(line.accountId, sender.newCallId())))).statusCode,
          200,
        );
        assert.equal((await refusalsOf(line)).length, 1, 'What is accepted is no refusal.');
      });

    test(`from ${sender.provider} does not trust a header about what was signed`, async () => {
      const line = await openLine(stage, sender);
      const request = line.print(sender.rings(line.accountId, sender.newCallId()));
      const forged = line.sign(request, { at: 'https://evil.example' }, sender.newKey());
      await refuse(line, {
        ...forged,
        headers: { ...forged.headers, host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      });
      const refusals = await refusalsOf(line);
      assert.equal(refusals.length, 1);
      assert.doesNotMatch(JSON.stringify(refusals), /evil/);
      assert.match(refusals[0]?.[1] ?? '', /^most likely, the secret/);
    });
  }

  for (const sender of SENDERS)
    test(`from ${sender.provider} names the account whose key it was, within the same team only`, async () => {
      const line = await openLine(stage, sender);
      const sister = await openLine(stage, sender, { team: line.team });
      const foreign = await openLine(stage, sender);
      const request = () => line.print(sender.rings(line.accountId, sender.newCallId()));
      await refuse(line, line.sign(request(), {}, sister.key));
      assert.deepEqual(await refusalsOf(line), [
        ['bad_signature', `key: signed with the secret of account ${sister.account.id}`, 1],
      ]);
      await refuse(line, line.sign(request(), {}, foreign.key));
      await refuse(line, line.sign(request(), {}, sender.newKey()));
      const all = await refusalsOf(line);
      assert.equal(all.length, 2, JSON.stringify(all));
      assert.deepEqual(
        all.find(([, hint]) => hint.startsWith('most likely, the secret'))?.[2],
        2,
        "Another team's key is nobody's key.",
      );
      assert.ok(!JSON.stringify(all).includes(foreign.account.id));
      assert.deepEqual(await refusalsOf(foreign), []);
      assert.deepEqual(await refusalsOf(sister), []);
    });

  test('without any signature says so, and Bandwidth’s first request without a password is not one', async () => {
    for (const sender of SENDERS) {
      const line = await openLine(stage, sender);
      await refuse(line, { ...line.print(sender.rings(line.accountId, sender.newCallId())), headers: {} });
      const reasons = (await refusalsOf(line)).map(([reason]) => reason);
      assert.deepEqual(reasons, sender.refusal === 401 ? [] : ['missing'], sender.provider);
    }
  });

  test('is shown to the team’s admin and nobody else', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const foreign = await openLine(stage, sender);
    await refuse(
      line,
      line.sign(line.print(sender.rings(line.accountId, sender.newCallId())), { at: 'https://localhost:3000' }),
    );
    assert.equal((await refusalsOf(line)).length, 1);
    const url = `/api/telephony/accounts/${line.account.id}`;
    const read = async (headers: Record<string, string>) => toAnswer(await stage.server.inject({ url, headers }));
    expectProblem(await read(line.team.member.headers), 403, 'a member');
    expectProblem(await read(foreign.team.admin.headers), 404, "another team's admin");
    expectProblem(await read({}), 401, 'nobody');
    const list = await stage.server.inject({ url: '/api/telephony/accounts', headers: foreign.team.admin.headers });
    assert.doesNotMatch(list.body, /scheme/);
  });

  test('tells a stranger nothing: it is the same whatever was wrong', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const sister = await openLine(stage, sender, { team: line.team });
    const request = line.print(sender.rings(line.accountId, sender.newCallId()));
    const wrong: Record<string, Sent> = {
      'no signature': { ...request, headers: {} },
      'another key': line.sign(request, {}, sender.newKey()),
      'the key of a sister': line.sign(request, {}, sister.key),
      'another scheme': line.sign(request, { at: 'https://localhost:3000' }),
      'an unknown account': { ...request, target: request.target.replace(line.account.id, 'unknown'), headers: {} },
      'nothing at all': { ...request, body: '', type: 'text/plain', headers: {} },
      'the right key, and a param twice': line.sign({ ...request, target: `${request.target}&step=a&step=b` }),
      'an account of another provider': {
        ...request,
        target: request.target.replace(line.account.id, (await openLine(stage, senderOf('plivo'))).account.id),
        headers: {},
      },
    };
    const answers = new Set<string>();
    for (const sent of Object.values(wrong)) {
      const answer = toAnswer(await send(stage, sent));
      expectProblem(answer, 403, sent.target);
      answers.add(JSON.stringify(withoutRequestId(answer)));
    }
    assert.equal(answers.size, 1, [...answers].join('\n'));
  });
});
