import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { expectHouseHeaders, expectProblem, toAnswer } from '../harness/problem.ts';
import { openSession } from '../harness/sessions.ts';
import { openLine, SENDERS, send } from '../harness/telephony-senders.ts';
import { openTelephonyStage, RECORDING, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const HEALTH = {
  [VOICE]: { status: 'ok', endpoint: 'telephony.voice' },
  [RECORDING]: { status: 'ok', endpoint: 'telephony.recording' },
};

onOneEngine('a telephony address', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  const ask = async (method: Method, url: string, headers: Record<string, string> = {}) =>
    toAnswer(await stage.server.inject({ method, url, headers }));

  const countDeliveries = async () =>
    Number((await stage.app.database.get<{ n: number }>('select count(*) as n from deliveries'))?.n);

  for (const [path, body] of Object.entries(HEALTH)) {
    test(`says it is alive to anyone requesting ${path}, whatever they send along`, async () => {
      const line = await openLine(stage, SENDERS[0] ?? assert.fail());
      const { admin } = line.team;
      const session = await openSession(stage, admin.user);
      const BRINGING: Record<string, Record<string, string>> = {
        nothing: {},
        "an admin's token": admin.headers,
        "an admin's session": session.headers,
        'a token that is none': { authorization: 'Bearer pb_0_0' },
        'the word undefined': { authorization: 'Bearer undefined' },
        'the cron secret': { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
        'a name and password': { authorization: `Basic ${Buffer.from(line.key.secret).toString('base64')}` },
        'another host': { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
        'a wish for a page': { accept: 'text/html' },
      };
      for (const [what, headers] of Object.entries(BRINGING))
        for (const query of ['', '?', `?account=${line.account.id}`, '?account=unknown&step=status', '?utm=1']) {
          const answer = await ask('GET', `${path}${query}`, headers);
          assert.equal(answer.status, 200, `${what} ${query}: ${answer.body}`);
          assert.deepEqual(JSON.parse(answer.body), body, what);
          assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
          assert.equal(answer.headers['cache-control'], 'no-store');
          assert.equal(answer.headers['set-cookie'], undefined);
          expectHouseHeaders(answer, what);
        }
      assert.equal(await countDeliveries(), 0);
    });

    test(`does nothing for HEAD, even if signed: ${path}`, async () => {
      const sender = SENDERS[0] ?? assert.fail();
      const line = await openLine(stage, sender);
      const { fields } = sender.rings(line.accountId, sender.newCallId());
      const target = `${path}?account=${line.account.id}&${new URLSearchParams(fields)}`;
      const signed = line.sign({ method: 'GET', target, type: '', body: '' });
      for (const url of [path, target]) {
        const { status, headers } = await ask('HEAD', url, signed.headers);
        assert.equal(status, 405);
        assert.match(headers['allow'] ?? '', /\bGET\b.*\bPOST\b/);
      }
      assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
    });

    test(`accepts no other method: ${path}`, async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
        const answer = await ask(method, path, { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` });
        expectProblem(answer, 405, method);
        assert.deepEqual((answer.headers['allow'] ?? '').split(', ').sort(), ['GET', 'POST']);
      }
    });
  }

  describe('requested with a provider’s parameters and without a signature', () => {
    for (const sender of SENDERS)
      test(`never says it is alive: ${sender.provider}`, async () => {
        const line = await openLine(stage, sender);
        const callId = sender.newCallId();
        const said = [
          sender.rings(line.accountId, callId),
          sender.ends(line.accountId, callId),
          sender.recorded(line.accountId, callId, callId),
        ];
        for (const path of [VOICE, RECORDING])
          for (const account of ['', `account=${line.account.id}&`])
            for (const { fields } of said)
              for (const headers of [{}, line.team.admin.headers]) {
                const answer = await ask('GET', `${path}?${account}${new URLSearchParams(fields)}`, headers);
                const { code } = expectProblem(answer, sender.refusal, JSON.stringify(fields));
                assert.equal(code, 'telephony.signature_invalid');
              }
        assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
      });

    test('or with a signature and no content, never says it is alive', async () => {
      for (const header of [
        'x-twilio-signature',
        'x-signalwire-signature',
        'telnyx-signature-ed25519',
        'x-plivo-signature-v3',
      ])
        expectProblem(await ask('GET', VOICE, { [header]: 'AAAA' }), 403, header);
    });
  });

  test('reads no user credentials: it makes nobody known or unknown', async () => {
    const sender = SENDERS[0] ?? assert.fail();
    const line = await openLine(stage, sender);
    const honest = () => line.honest(sender.rings(line.accountId, sender.newCallId()));
    for (const authorization of [
      'Bearer pb_0_0',
      'Bearer undefined',
      `Bearer ${line.team.admin.token}`,
      'Basic AAAA',
    ]) {
      const sent = honest();
      const taken = await send(stage, {
        ...sent,
        headers: { ...sent.headers, authorization, cookie: 'patchbay_session=x' },
      });
      assert.equal(taken.statusCode, 200, authorization);
    }
    const unsigned = { ...honest(), headers: line.team.admin.headers };
    expectProblem(toAnswer(await send(stage, unsigned)), 403, "an admin's token in place of a signature");
    assert.equal((await line.count()).deliveries, 4);
    const post = await ask('POST', VOICE, { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` });
    expectProblem(post, 403, 'a POST of nothing');
  });
});
