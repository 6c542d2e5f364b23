import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall } from '../../../src/telephony/calls/call.ts';
import type { CallFact } from '../../../src/telephony/contract/call-fact.ts';
import type { Delivery } from '../../../src/telephony/contract/delivery.ts';
import type { TelephonyProvider } from '../../../src/telephony/contract/provider.ts';
import { createRandom, makeCalls } from '../../../src/telephony/contract/simulated-call.ts';
import { PUBLIC_URL, withHeaders } from '../vendors/deliver.ts';
import { type ProviderContract, verdictOf } from './contract.ts';

export const testSignatures = (provider: TelephonyProvider, contract: ProviderContract): void => {
  const { now, secret, otherSecret, sign, proofs, covers, deliveries } = contract;
  const judge = (delivery: Delivery, { secrets = [secret], publicUrl = PUBLIC_URL } = {}) =>
    verdictOf(provider, delivery, { secrets, now, publicUrl });
  const [first] = Object.values(deliveries);
  assert.ok(first);
  const genuine = sign(first);
  const bend = (change: Partial<Delivery>): Delivery => ({ ...genuine, ...change });
  const isAccepted = async (delivery: Delivery): Promise<void> => {
    assert.equal(judge(delivery), 's1');
    if (contract.isAcceptedByVendor) assert.equal(await contract.isAcceptedByVendor(delivery), true);
  };

  describe('a signature', () => {
    test('is accepted with any of the secrets, and says which one', () => {
      assert.equal(judge(genuine), 's1');
      assert.equal(judge(genuine, { secrets: [otherSecret, secret] }), 's2');
    });

    test('is refused with a wrong secret, an empty one, or none', () => {
      for (const secrets of [[otherSecret], [''], ['undefined'], []])
        assert.equal(judge(genuine, { secrets }), 'bad_signature', JSON.stringify(secrets));
      assert.equal(judge(sign(first, otherSecret)), 'bad_signature');
    });

    test('is missing if nothing is signed', () => assert.equal(judge(first), 'missing'));

    for (const proof of proofs)
      test(`is missing without ${proof}`, () => {
        for (const value of [undefined, '']) assert.equal(judge(withHeaders(genuine, { [proof]: value })), 'missing');
      });

    test('matches no other content', () => {
      const verdict = covers.content ? 'bad_signature' : 's1';
      const { body } = genuine;
      const other = Object.values(deliveries).find(
        (delivery) => delivery.target === first.target && delivery !== first,
      );
      assert.equal(judge(bend({ body: Buffer.concat([body, Buffer.from(' ')]) })), verdict);
      if (other) assert.equal(judge(bend({ body: other.body })), verdict);
      if (covers.content) assert.equal(judge(bend({ body: body.subarray(1) })), verdict);
      if (covers.content) assert.equal(judge(bend({ body: Buffer.alloc(0) })), verdict);
    });

    test('matches no other URL, or none with more parameters', () => {
      const { target } = genuine;
      assert.equal(judge(bend({ target: `${target}&x=1` })), covers.address ? 'bad_signature' : 'malformed');
      assert.equal(judge(bend({ target: `${target}&account=a2` })), covers.address ? 'bad_signature' : 'malformed');
      for (const publicUrl of ['http://hooks.example.test', 'https://other.example.test'])
        assert.equal(judge(genuine, { publicUrl }), covers.address ? 'bad_signature' : 's1', publicUrl);
      const elsewhere = bend({ target: target.replace('/telephony/', '/telephony//') });
      assert.equal(judge(elsewhere), covers.address ? 'bad_signature' : 's1');
    });

    test('is checked against the configured URL, whatever the request says of its own', () => {
      const forwarded = { host: 'other.test', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'hooks.example.test' };
      const publicUrl = 'https://other.test';
      assert.equal(judge(withHeaders(genuine, forwarded)), 's1');
      if (covers.address) assert.equal(judge(withHeaders(genuine, forwarded), { publicUrl }), 'bad_signature');
    });

    for (const [name, delivery] of Object.entries(deliveries))
      test(`is accepted here and by the vendor: ${name}`, () => isAccepted(sign(delivery)));

    test('is accepted whatever text it covers', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.toWellFormed());
      await fc.assert(
        fc.asyncProperty(text, (said) => isAccepted(sign(contract.withText(said)))),
        { numRuns: 200 },
      );
    });

    for (const { name, delivery, bent, verdict = 's1', ...published } of contract.published) {
      const judgePublished = (each: Delivery, secrets = [published.secret]): string =>
        verdictOf(provider, each, { now, ...published, secrets });

      test(`is judged correctly: ${name}`, () => assert.equal(judgePublished(delivery), verdict));

      test(`matches nothing else: ${name}`, () => {
        assert.equal(judgePublished(delivery, [otherSecret]), 'bad_signature');
        assert.equal(judgePublished(delivery, []), 'bad_signature');
        for (const each of bent) assert.equal(judgePublished(each), 'bad_signature', `${each.target} ${each.body}`);
      });
    }

    for (const [what, delivery] of contract.accepted) test(`is enough for ${what}`, () => isAccepted(sign(delivery)));

    for (const [what, delivery] of contract.malformed)
      test(`is not enough for ${what}`, () => assert.equal(judge(sign(delivery)), 'malformed'));
  });

  test('the sample notice passes for one of the provider', async () => {
    const address = `${PUBLIC_URL}${first.target}&step=status`;
    for (const accountId of [contract.account.accountId, null]) {
      const notice = provider.sampleNotice({ address, accountId, secret, now });
      if (!notice) continue;
      const { headers, body } = notice;
      const target = address.slice(PUBLIC_URL.length);
      const delivery: Delivery = { route: 'voice', method: 'POST', target, headers, body: Buffer.from(body) };
      await isAccepted(delivery);
      assert.equal(provider.recognizes(delivery), true);
      assert.deepEqual(provider.occasionOf(delivery), { kind: 'nothing' });
      assert.equal(provider.factsOf(delivery, now).events[0]?.kind, 'ended');
    }
  });
};

const OUTCOMES = { reached: 'answered', no_answer: 'missed', busy: 'missed', given_up: 'abandoned' };

export const testSimulator = (provider: TelephonyProvider, { now }: ProviderContract): void => {
  const { simulator } = provider;
  if (!simulator) return;
  test('simulated calls verify, and end as intended', () => {
    const [accountId, secret] = [simulator.newAccountId(), simulator.newSecret()];
    assert.match(accountId, provider.rules.accountId?.pattern ?? /$^/);
    assert.match(secret, provider.rules.secret.pattern);
    for (const call of makeCalls(createRandom(7), '+15555550100', Array(20).fill(now))) {
      const events: CallFact[] = simulator.tell(call, accountId).flatMap((request) => {
        const target = `/api/webhooks/telephony/${request.route}?account=a1${request.query}`;
        const headers = { ...request.headers, ...simulator.sign(request, `${PUBLIC_URL}${target}`, secret) };
        const delivery: Delivery = { ...request, target, headers, body: Buffer.from(request.body) };
        assert.equal(verdictOf(provider, delivery, { secrets: [secret], now }), 's1');
        assert.equal(provider.accountIdOf(delivery), accountId);
        return [...provider.factsOf(delivery, now).events];
      });
      const outcome = call.message ? 'voicemail' : OUTCOMES[call.forward.result];
      assert.equal(assembleCall({ direction: 'inbound' }, events).outcome, outcome);
    }
  });
};
