import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall } from '../../src/telephony/calls/call.ts';
import { type Occasion, planReply } from '../../src/telephony/contract/answer-plan.ts';
import { settingsWhen } from '../../src/telephony/contract/answer-settings.ts';
import type { CallEvent, CallFacts, RecordingEvent } from '../../src/telephony/contract/call-event.ts';
import { type Delivery, FORM, JSON_TYPE } from '../../src/telephony/contract/delivery.ts';
import type {
  MediaRequest,
  ProviderAccount,
  RecordingLocator,
  ReplyContext,
  TelephonyProvider,
} from '../../src/telephony/contract/provider.ts';
import { createRandom, makeCalls } from '../../src/telephony/contract/simulated-call.ts';
import { PUBLIC_URL, withHeaders } from './vendors/deliver.ts';

type Rows<Row extends readonly unknown[]> = readonly (readonly [what: string, ...row: Row])[];
type Asked = Exclude<Occasion, { kind: 'nothing' }>;

/** A signature that the vendor, a standard, or its own library has made. */
type Published = {
  name: string;
  delivery: Delivery;
  secret: string;
  publicUrl?: string;
  now?: number;
  verdict?: string;
  /** What it doesn't fit. */
  bent: readonly Delivery[];
};

/** What a provider's tests hand in: how it signs, what it sends, and what that means. */
export type ProviderContract = {
  /** When everything is sent. */
  now: number;
  /** When it comes in; the same if left out. */
  receivedAt?: number;
  secret: string;
  otherSecret: string;
  sign(delivery: Delivery, secret?: string): Delivery;
  /** Asks the vendor's own library. */
  isAcceptedByVendor?(signed: Delivery): boolean | Promise<boolean>;
  /** The headers without which nothing is verified. */
  proofs: readonly string[];
  covers: { address: boolean; content: boolean };
  /** The vendor's own payloads, unsigned, each saying something else. */
  deliveries: Readonly<Record<string, Delivery>>;
  /** A delivery in which somebody says whatever they like. */
  withText(text: string): Delivery;
  /** More bodies that could come, deeper ones. */
  bodies?: fc.Arbitrary<string>;
  published: readonly Published[];
  /** Unusual, and accepted once it is signed. */
  accepted: Rows<[Delivery]>;
  /** Refused, although it is signed well. */
  malformed: Rows<[Delivery]>;
  /** This provider's, although it says little. */
  recognized: Rows<[Delivery]>;
  /** Not this provider's. */
  strangers: Rows<[Delivery]>;
  accounts: Rows<[Delivery, string | null]>;
  called: Rows<[Delivery, string]>;
  calls: Rows<[Delivery, CallFacts | null]>;
  /** Events as they are, but for their key and time. */
  events: Rows<[Delivery, readonly Partial<CallEvent>[]]>;
  times: Rows<[Delivery, number, CallEvent['timeFrom']]>;
  recordings: Rows<[Delivery, Partial<RecordingEvent> | null]>;
  stories: Rows<[readonly Delivery[], outcome: string, talkSeconds?: number | null]>;
  occasions: Rows<[Delivery, Occasion]>;
  /** A text is the whole document, a pattern a part of it, and anything else what JSON says. */
  documents: Rows<[answer: object | null, Asked, string | RegExp | object]>;
  contentType: string;
  /** The texts that a document says. */
  spoken(body: string): string[];
  acknowledged: 200 | 204;
  account: ProviderAccount;
  fetched: Rows<[RecordingLocator, Partial<MediaRequest>]>;
  removed: Rows<[RecordingLocator, Partial<MediaRequest> | null]>;
  /** Not fetched, because something is missing. */
  missing: Rows<[RecordingLocator, Partial<ProviderAccount>, missing?: string]>;
  fields: Rows<[pattern: RegExp | undefined, right: readonly string[], wrong: readonly string[]]>;
  /** What asks the provider to try again, at the end of each URL. */
  retry: string;
  /** What the notes must not forget. */
  notes: RegExp;
};

export const REPLY_CONTEXT: ReplyContext = {
  stepUrl: (step) => `${PUBLIC_URL}/voice?account=a1&step=${step}`,
  recordingUrl: `${PUBLIC_URL}/recording?account=a1`,
  verifiedWith: null,
};

/** How an answer is said, at the beginning or on another occasion. */
export const replyTo = (
  provider: TelephonyProvider,
  answer: object | null,
  occasion: Asked = { kind: 'answer' },
  more: Partial<ReplyContext> = {},
): string =>
  provider.render(planReply(occasion, answer && settingsWhen(answer, true)), { ...REPLY_CONTEXT, ...more }).body;

type Judging = { secrets: readonly string[]; now: number; publicUrl?: string };

/** The id of the secret that fits (`s1`, `s2`, …), or why none does. */
export const verdictOf = (
  provider: TelephonyProvider,
  delivery: Delivery,
  { secrets, now, publicUrl = PUBLIC_URL }: Judging,
): string => {
  const known = secrets.map((value, index) => ({ id: `s${index + 1}`, value }));
  const verdict = provider.verify(delivery, known, { publicUrl, now });
  return verdict.ok ? verdict.secretId : verdict.reason;
};

/** Those values of a record that are expected of it. */
const pickLike = (actual: object | null | undefined, expected: object): object =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, (actual as Record<string, unknown> | null)?.[name]]));

const testSignatures = (provider: TelephonyProvider, contract: ProviderContract): void => {
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
    test('is accepted with any of the secrets, and it is known which', () => {
      assert.equal(judge(genuine), 's1');
      assert.equal(judge(genuine, { secrets: [otherSecret, secret] }), 's2');
    });

    test('is refused with another secret, with an empty one, and with none', () => {
      for (const secrets of [[otherSecret], [''], ['undefined'], []])
        assert.equal(judge(genuine, { secrets }), 'bad_signature', JSON.stringify(secrets));
      assert.equal(judge(sign(first, otherSecret)), 'bad_signature');
    });

    test('is missing where nothing is signed', () => assert.equal(judge(first), 'missing'));

    for (const proof of proofs)
      test(`is missing without ${proof}`, () => {
        for (const value of [undefined, '']) assert.equal(judge(withHeaders(genuine, { [proof]: value })), 'missing');
      });

    test('fits no other content', () => {
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

    test('fits no other address, or none that says more', () => {
      const { target } = genuine;
      assert.equal(judge(bend({ target: `${target}&x=1` })), covers.address ? 'bad_signature' : 'malformed');
      assert.equal(judge(bend({ target: `${target}&account=a2` })), covers.address ? 'bad_signature' : 'malformed');
      for (const publicUrl of ['http://hooks.example.test', 'https://other.example.test'])
        assert.equal(judge(genuine, { publicUrl }), covers.address ? 'bad_signature' : 's1', publicUrl);
      const elsewhere = bend({ target: target.replace('/telephony/', '/telephony//') });
      assert.equal(judge(elsewhere), covers.address ? 'bad_signature' : 's1');
    });

    test('is refused whatever the request says about where it came in', () => {
      const forwarded = { host: 'other.test', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'hooks.example.test' };
      const publicUrl = 'https://other.test';
      assert.equal(judge(withHeaders(genuine, forwarded)), 's1');
      if (covers.address) assert.equal(judge(withHeaders(genuine, forwarded), { publicUrl }), 'bad_signature');
    });

    for (const [name, delivery] of Object.entries(deliveries))
      test(`is accepted, here and by the vendor: ${name}`, () => isAccepted(sign(delivery)));

    test('is accepted whatever somebody says', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.toWellFormed());
      await fc.assert(
        fc.asyncProperty(text, (said) => isAccepted(sign(contract.withText(said)))),
        { numRuns: 200 },
      );
    });

    for (const { name, delivery, bent, verdict = 's1', ...published } of contract.published) {
      const judgePublished = (each: Delivery, secrets = [published.secret]): string =>
        verdictOf(provider, each, { now, ...published, secrets });

      test(`is taken for what it is: ${name}`, () => assert.equal(judgePublished(delivery), verdict));

      test(`does not fit anything else: ${name}`, () => {
        assert.equal(judgePublished(delivery, [otherSecret]), 'bad_signature');
        assert.equal(judgePublished(delivery, []), 'bad_signature');
        for (const each of bent) assert.equal(judgePublished(each), 'bad_signature', `${each.target} ${each.body}`);
      });
    }

    for (const [what, delivery] of contract.accepted) test(`is enough for ${what}`, () => isAccepted(sign(delivery)));

    for (const [what, delivery] of contract.malformed)
      test(`is not enough for ${what}`, () => assert.equal(judge(sign(delivery)), 'malformed'));
  });

  test('the notice that tests a set-up is one that the provider could have sent', async () => {
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

const testSimulator = (provider: TelephonyProvider, { now }: ProviderContract): void => {
  const { simulator } = provider;
  if (!simulator) return;
  test('simulated calls are signed as the provider signs, and come out as they are meant', () => {
    const [accountId, secret] = [simulator.newAccountId(), simulator.newSecret()];
    assert.match(accountId, provider.rules.accountId?.pattern ?? /$^/);
    assert.match(secret, provider.rules.secret.pattern);
    for (const call of makeCalls(createRandom(7), '+15555550100', Array(20).fill(now))) {
      const events: CallEvent[] = simulator.tell(call, accountId).flatMap((request) => {
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

const testFacts = (provider: TelephonyProvider, contract: ProviderContract): void => {
  const { now, receivedAt = now, deliveries } = contract;

  describe('a delivery', () => {
    test('is recognized by what it says, signed or not', () => {
      for (const [name, delivery] of Object.entries(deliveries))
        for (const each of [delivery, contract.sign(delivery)]) assert.equal(provider.recognizes(each), true, name);
    });

    for (const [what, delivery] of contract.recognized)
      test(`is recognized in ${what}`, () => assert.equal(provider.recognizes(delivery), true));

    for (const [what, delivery] of contract.strangers)
      test(`is not recognized in ${what}`, () => assert.equal(provider.recognizes(delivery), false));

    test('is not recognized by an authorization alone', () => {
      const [first] = Object.values(deliveries);
      for (const authorization of ['Bearer x', 'Bearer a.b.c', 'Basic dTpw'])
        for (const type of [FORM, JSON_TYPE]) {
          const headers = { 'content-type': type, authorization };
          assert.equal(provider.recognizes({ ...first, headers, body: Buffer.alloc(0) } as Delivery), false);
        }
    });

    test('names its account, which proves nothing, and the number that was called', () => {
      for (const [what, delivery, account] of contract.accounts)
        assert.equal(provider.accountIdOf(delivery), account, what);
      for (const [what, delivery, number] of contract.called)
        assert.equal(provider.calledParty(delivery).value, number, what);
    });

    test('has the same key however often it comes, and another than every other one', () => {
      const signed = Object.entries(deliveries).map(([name, each]): [string, Delivery] => [name, contract.sign(each)]);
      for (const [name, delivery] of signed) {
        const again = withHeaders({ ...delivery, body: Buffer.from(delivery.body) }, { 'x-retry': '1' });
        assert.equal(provider.keyOf(again), provider.keyOf(delivery), name);
        const keys = [again, delivery].map((each) => provider.factsOf(each, receivedAt).events.map(({ key }) => key));
        assert.deepEqual(keys[0], keys[1], name);
      }
      assert.equal(new Set(signed.map(([, delivery]) => provider.keyOf(delivery))).size, signed.length);
    });

    test('is another one at another address, unless only its content is signed', () => {
      const { address, content } = contract.covers;
      const [first] = Object.values(deliveries);
      assert.ok(first);
      const signed = contract.sign(first);
      const keys = [signed, { ...signed, target: `${first.target}&step=dialed` }].map((each) => provider.keyOf(each));
      assert.equal(keys[0] === keys[1], content && !address);
    });

    for (const [what, delivery, call] of contract.calls)
      test(`is about a call: ${what}`, () => assert.deepEqual(provider.factsOf(delivery, receivedAt).call, call));

    for (const [what, delivery, expected] of contract.events)
      test(`says what happened: ${what}`, () => {
        const events = provider
          .factsOf(delivery, receivedAt)
          .events.map(({ key, occurredAt, timeFrom, ...rest }) => rest);
        assert.deepEqual(events, expected);
      });

    for (const [what, delivery, occurredAt, timeFrom] of contract.times)
      test(`says when it happened: ${what}`, () => {
        const [event] = provider.factsOf(delivery, receivedAt).events;
        assert.deepEqual([event?.occurredAt, event?.timeFrom], [occurredAt, timeFrom]);
      });

    for (const [what, delivery, expected] of contract.recordings)
      test(`tells of a recording: ${what}`, () => {
        const { recordings } = provider.factsOf(delivery, receivedAt);
        assert.equal(recordings.length, expected ? 1 : 0);
        if (expected) assert.deepEqual(pickLike(recordings[0], expected), expected);
      });
  });

  describe('a call, told in any order and however often,', () => {
    for (const [what, deliveries, outcome, talkSeconds] of contract.stories)
      test(`is ${outcome}: ${what}`, () => {
        const told = deliveries.map((delivery, index) => provider.factsOf(delivery, receivedAt + index * 1_000));
        const direction = told.find(({ call }) => call?.direction)?.call?.direction ?? 'inbound';
        assert.ok(told.every(({ call }) => (call?.direction ?? direction) === direction));
        const events = told.flatMap((facts) => facts.events);
        const [all, again] = [fc.shuffledSubarray(events, { minLength: events.length }), fc.subarray(events)];
        fc.assert(
          fc.property(all, again, (shuffled, repeated) => {
            const call = assembleCall({ direction }, [...shuffled, ...repeated]);
            assert.deepEqual([call.status, call.outcome], ['ended', outcome]);
            if (talkSeconds !== undefined) assert.equal(call.talkSeconds, talkSeconds);
          }),
          { numRuns: 40 },
        );
      });
  });
};

const testAnything = (provider: TelephonyProvider, contract: ProviderContract): void => {
  const { now, secret, sign, proofs, deliveries } = contract;
  const said = Object.values(deliveries).flatMap(({ body }) => {
    const text = body.toString();
    const pairs = text.startsWith('{') ? Object.entries<unknown>(JSON.parse(text)) : [...new URLSearchParams(text)];
    return pairs.map(([name, value]) => [name, value] as const);
  });
  const name = fc.constantFrom(...new Set(said.map(([each]) => each)), '__proto__', 'constructor', 'x');
  const word = fc.constantFrom(...said.map(([, value]) => value), '__proto__', 'constructor', 'toString', '-1');
  const text = fc.string({ unit: 'binary' });
  const form = fc.dictionary(name, fc.oneof(word.map(String), text)).map((each) => `${new URLSearchParams(each)}`);
  const json = fc.dictionary(name, fc.oneof(word, fc.jsonValue(), text)).map((each) => JSON.stringify(each));
  const bytes = fc.uint8Array({ maxLength: 200 });
  const query = fc.oneof(fc.string(), form);
  const step = fc.constantFrom('', 'dialed', 'voicemail', 'screen', 'screened', 'status', '__proto__', '%zz');
  const anything: fc.Arbitrary<Delivery> = fc.record({
    route: fc.constantFrom('voice', 'recording'),
    method: fc.constantFrom('GET', 'POST'),
    target: fc.tuple(step, query).map(([at, more]) => `/voice?step=${at}&${more}`),
    headers: fc.record({
      'content-type': fc.constantFrom(FORM, JSON_TYPE, 'text/plain', ''),
      ...Object.fromEntries(proofs.map((proof) => [proof, fc.oneof(fc.string(), fc.constant('Bearer a.b.c'))])),
    }),
    body: fc
      .oneof(form, json, fc.json(), text, bytes, contract.bodies ?? form)
      .map((body) => Buffer.from(body as string)),
  });

  test('anything can come, signed or not, and nothing breaks', () => {
    fc.assert(
      fc.property(anything, (delivery) => {
        assert.notEqual(verdictOf(provider, delivery, { secrets: [secret], now }), 's1');
        for (const each of [delivery, sign(delivery)]) {
          verdictOf(provider, each, { secrets: [secret], now });
          provider.recognizes(each);
          provider.accountIdOf(each);
          provider.occasionOf(each);
          provider.calledParty(each);
          assert.equal(typeof provider.keyOf(each), 'string');
          for (const { occurredAt, talkSeconds = 0 } of provider.factsOf(each, now).events) {
            assert.ok(Number.isFinite(occurredAt));
            assert.ok(Number.isInteger(talkSeconds) && talkSeconds >= 0);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
};

const HARMFUL = /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)|(?![\t\n\r])\p{Cc}|\p{Cs}/u;

const testReplies = (provider: TelephonyProvider, contract: ProviderContract): void => {
  describe('what a delivery asks for', () => {
    for (const [what, delivery, occasion] of contract.occasions)
      test(what, () => assert.deepEqual(provider.occasionOf(delivery), occasion));
  });

  describe('the document', () => {
    for (const [what, answer, occasion, expected] of contract.documents)
      test(what, () => {
        const body = replyTo(provider, answer, occasion);
        if (typeof expected === 'string') assert.equal(body, expected);
        else if (expected instanceof RegExp) assert.match(body, expected);
        else assert.deepEqual(JSON.parse(body), expected);
      });

    test('is well formed whatever is said, and says a text without carrying it out', () => {
      const isJson = contract.contentType.startsWith(JSON_TYPE);
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (greeting) => {
          const said = contract.spoken(replyTo(provider, { greeting: `x${greeting}`, voicemail: false }));
          assert.equal(said.length, 2);
          for (const text of said) assert.doesNotMatch(text, isJson ? /[<>]|\p{Cc}|\p{Cs}/u : HARMFUL);
          assert.match(said[0] ?? '', /^x/);
        }),
        { numRuns: 500 },
      );
      const orders = '</Say></Speak></SpeakSentence><Dial>+15550000000</Dial><Transfer/>"},{"action":"connect"},&x;';
      const [said] = contract.spoken(replyTo(provider, { greeting: orders, voicemail: false }));
      assert.doesNotMatch(said ?? '<', /[<>]/);
    });

    test('is sent as what it is, and a notice gets none', () => {
      const { status, contentType } = provider.render([{ verb: 'hang_up' }], REPLY_CONTEXT);
      assert.deepEqual([status, contentType], [200, contract.contentType]);
      assert.deepEqual(provider.acknowledge(), { status: contract.acknowledged, contentType: null, body: '' });
    });
  });
};

const testMedia = (provider: TelephonyProvider, contract: ProviderContract): void => {
  describe('a recording', () => {
    for (const [what, locator, expected] of contract.fetched)
      test(`is fetched: ${what}`, async () => {
        const request = await provider.mediaOf(locator, contract.account);
        assert.deepEqual(pickLike(request, expected), expected);
      });

    for (const [what, locator, expected] of contract.removed)
      test(`is removed at the provider: ${what}`, async () => {
        const request = await provider.removalOf(locator, contract.account);
        assert.deepEqual(expected && pickLike(request, expected), expected);
        if (!expected) assert.equal(request, null);
      });

    for (const [what, locator, account, missing] of contract.missing)
      test(`is not fetched: ${what}`, async () => {
        const request = await provider.mediaOf(locator, { ...contract.account, ...account });
        assert.ok('missing' in request);
        if (missing !== undefined) assert.deepEqual(request, { missing });
      });
  });
};

const testSetup = (provider: TelephonyProvider, { fields, retry, notes: mentioned }: ProviderContract): void => {
  describe('what an admin has to do', () => {
    for (const [what, pattern = /$^/, right, wrong] of fields)
      test(`a field is checked: ${what}`, () => {
        for (const value of right) assert.match(value, pattern);
        for (const value of wrong) assert.doesNotMatch(value, pattern);
      });

    test('the URLs to paste are told', () => {
      const { notes, ...urls } = provider.advise({
        voice: 'https://h.test/v?account=a',
        recording: 'https://h.test/r?account=a',
      });
      assert.deepEqual(urls, {
        voiceUrl: `https://h.test/v?account=a${retry}`,
        statusUrl: `https://h.test/v?account=a&step=status${retry}`,
        recordingUrl: `https://h.test/r?account=a${retry}`,
      });
      assert.match(notes.join(' '), mentioned);
    });
  });
};

/** Everything that holds for every telephony provider. */
export const testProvider = (provider: TelephonyProvider, contract: ProviderContract): void => {
  describe(provider.name, () => {
    for (const part of [testSignatures, testSimulator, testFacts, testAnything, testReplies, testMedia, testSetup])
      part(provider, contract);
  });
};
