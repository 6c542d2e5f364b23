import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { planReply } from '../../contract/answer-plan.ts';
import { type Answer, settingsWhen } from '../../contract/answer-settings.ts';
import type { Delivery } from '../../contract/delivery.ts';
import type { ReplyContext } from '../../contract/provider.ts';
import { bandwidth } from './index.ts';
import { render } from './reply.ts';

const payloads: Record<string, object> = JSON.parse(
  readFileSync(new URL('./fixtures/deliveries.json', import.meta.url), 'utf8'),
);

const context: ReplyContext = {
  stepUrl: (step) => `https://hooks.example.test/voice?account=a1&step=${step}`,
  recordingUrl: 'https://hooks.example.test/recording?account=a1',
  verifiedWith: null,
};
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

const deliver = (name: string, query = '', route: Delivery['route'] = 'voice'): Delivery => ({
  route,
  method: 'POST',
  target: `/api/webhooks/telephony/${route}?account=a1${query}`,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(payloads[name] ?? {})),
});

const replyTo = (answer: Answer, occasion: Parameters<typeof planReply>[0] = { kind: 'answer' }, more = {}): string =>
  render(planReply(occasion, settingsWhen(answer, true)), { ...context, ...more }).body;

describe('what a delivery asks for', () => {
  for (const [what, delivery, occasion] of [
    ['a call comes in', deliver('initiate'), { kind: 'answer' }],
    ['somebody has picked up', deliver('transferAnswer', '&step=screen'), { kind: 'screen' }],
    ['a key was pressed', deliver('keyPressed', '&step=screened'), { kind: 'screened', pressed: true }],
    ['no key was pressed', deliver('noKeyPressed', '&step=screened'), { kind: 'screened', pressed: false }],
    ['nobody took it', deliver('transferTimedOut', '&step=dialed'), { kind: 'after_dial', reached: false }],
    ['they have talked', deliver('transferOver', '&step=dialed'), { kind: 'after_dial', reached: true }],
    [
      'somebody hung up, who may not have pressed a key',
      deliver('transferOver', '&step=dialed&screen=1'),
      { kind: 'after_dial', reached: false },
    ],
    ['a message was left', deliver('recordComplete', '&step=voicemail'), { kind: 'after_voicemail' }],
    ['a leg has ended', deliver('legTalked', '&step=dialed'), { kind: 'nothing' }],
    ['the call has ended', deliver('disconnect', '&step=status'), { kind: 'nothing' }],
    ['the call has ended, told to the voice address', deliver('disconnect'), { kind: 'nothing' }],
    ['a call comes in, told to the status address', deliver('initiate', '&step=status'), { kind: 'nothing' }],
    ['a recording is there', deliver('recordingAvailable', '&step=voicemail', 'recording'), { kind: 'nothing' }],
    ['a recording is there, told to the voice address', deliver('recordingAvailable'), { kind: 'nothing' }],
    ['nobody knows what', deliver('no such'), { kind: 'nothing' }],
  ] as const)
    test(what, () => assert.deepEqual(bandwidth.occasionOf(delivery), occasion));

  test('and for which number', () => {
    for (const name of ['initiate', 'transferAnswer', 'transferOver'])
      assert.deepEqual(bandwidth.calledParty(deliver(name)), { kind: 'number', value: '+15551230200' });
  });
});

describe('the document', () => {
  test('greets, tells of the recording, and forwards', () => {
    const forwardTo = ['+15551230001', '+15551230002'];
    const step = 'https://hooks.example.test/voice?account=a1&amp;step=dialed';
    assert.equal(
      replyTo({ greeting: 'Hello', forwardTo, ringSeconds: 15, record: true }),
      `${HEAD}<Response><SpeakSentence>Hello</SpeakSentence><SpeakSentence>This call may be recorded.</SpeakSentence>` +
        '<StartRecording recordingAvailableUrl="https://hooks.example.test/recording?account=a1" multiChannel="true" fileFormat="mp3"/>' +
        `<Transfer transferCompleteUrl="${step}" callTimeout="15"><PhoneNumber transferDisconnectUrl="${step}">+15551230001</PhoneNumber>` +
        `<PhoneNumber transferDisconnectUrl="${step}">+15551230002</PhoneNumber></Transfer></Response>`,
    );
    assert.doesNotMatch(replyTo({ forwardTo }), /Recording/);
  });

  test('rings at most eight, as more would end the call', () => {
    const forwardTo = Array.from({ length: 10 }, (_, index) => `+1555123000${index}`);
    assert.equal(replyTo({ forwardTo }).match(/<PhoneNumber /g)?.length, 8);
  });

  test('asks whoever is dialled to press a key, and lets it be known in the addresses', () => {
    const asking = replyTo({ forwardTo: ['+15551230001'], screen: true });
    assert.match(asking, /<Transfer transferCompleteUrl="[^"]*step=dialed&amp;screen=1"/);
    assert.match(
      asking,
      /<PhoneNumber transferAnswerUrl="[^"]*step=screen" transferDisconnectUrl="[^"]*step=dialed&amp;screen=1">/,
    );
    assert.match(
      replyTo({}, { kind: 'screen' }),
      /<Gather gatherUrl="[^"]*step=screened" maxDigits="1" firstDigitTimeout="8"><SpeakSentence>[^<]+<\/SpeakSentence><\/Gather><Hangup\/>/,
    );
    assert.equal(replyTo({}, { kind: 'screened', pressed: false }), `${HEAD}<Response><Hangup/></Response>`);
  });

  test('that connects the two is not empty: an empty one would hang up', () => {
    assert.equal(replyTo({}, { kind: 'screened', pressed: true }), `${HEAD}<Response><Tag>connected</Tag></Response>`);
  });

  test('takes a message where nobody is there, or ends politely', () => {
    const message =
      /<SpeakSentence>[^<]+<\/SpeakSentence><StopRecording\/><SendDtmf [^>]*>1<\/SendDtmf><Record recordCompleteUrl="[^"]*\/voice[^"]*step=voicemail" recordingAvailableUrl="[^"]*\/recording\?account=a1&amp;step=voicemail" maxDuration="180" fileFormat="mp3"\/>/;
    assert.match(replyTo({}), message);
    assert.match(replyTo({ forwardTo: ['+15551230001'] }, { kind: 'after_dial', reached: false }), message);
    assert.match(replyTo({ voicemail: false }), /<SpeakSentence>[^<]+<\/SpeakSentence><Hangup\/>/);
    assert.equal(replyTo({}, { kind: 'after_dial', reached: true }), `${HEAD}<Response><Hangup/></Response>`);
    assert.match(replyTo({}, { kind: 'after_voicemail' }), /<SpeakSentence>Thank you[^<]*<\/SpeakSentence><Hangup\/>/);
  });

  test('says that a number is not in service', () => {
    const { status, contentType, body } = bandwidth.render(planReply({ kind: 'answer' }, null), context);
    assert.deepEqual([status, contentType], [200, 'application/xml; charset=utf-8']);
    assert.match(body, /not in service.*<Hangup\/>/);
  });

  test('is well formed whatever is said, and never says nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (greeting) => {
        const body = replyTo({ greeting, voicemail: false });
        const said = [...body.matchAll(/<SpeakSentence>([\s\S]*?)<\/SpeakSentence>/g)].map((match) => match[1] ?? '');
        assert.ok(said.length === 1 || said.length === 2);
        for (const text of said) {
          assert.notEqual(text.trim(), '');
          assert.doesNotMatch(text, /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)|(?![\t\n\r])\p{Cc}|\p{Cs}/u);
        }
      }),
      { numRuns: 500 },
    );
    const injected = replyTo({
      greeting: '</SpeakSentence><Transfer><PhoneNumber>+15559990000</PhoneNumber></Transfer>',
    });
    assert.doesNotMatch(injected, /<Transfer|<PhoneNumber/);
    assert.doesNotMatch(replyTo({ greeting: ' \u0000 ' }), /<SpeakSentence>\s*<\/SpeakSentence>|<SpeakSentence\/>/);
  });

  test('of a notice is none', () => {
    assert.deepEqual(bandwidth.acknowledge(), { status: 204, contentType: null, body: '' });
  });
});

describe('the name and password for the addresses in a document', () => {
  const verifiedWith = 'patchbay:p<a>s"s:&word';
  const attributes = 'username="patchbay" password="p&lt;a&gt;s&quot;s:&amp;word"';
  const forwarding = { forwardTo: ['+15551230001'], record: true, screen: true };
  const addressed = /<(?:StartRecording|Transfer|PhoneNumber|Gather|Record)\b[^>]*>/g;

  test('are those that the delivery came with, at every address', () => {
    const documents = [replyTo(forwarding, undefined, { verifiedWith }), replyTo({}, undefined, { verifiedWith })];
    const asked = replyTo({}, { kind: 'screen' }, { verifiedWith });
    const elements = [...documents, asked].flatMap((body) => body.match(addressed) ?? []);
    assert.equal(elements.length, 5);
    for (const one of elements) assert.ok(one.includes(attributes), one);
  });

  test('are not given to whoever came without', () => {
    for (const body of [replyTo(forwarding), replyTo({}), replyTo({}, { kind: 'screen' })])
      assert.doesNotMatch(body, /username|password/);
  });

  test('are not sent in the clear', () => {
    const plain = { verifiedWith, recordingUrl: 'http://127.0.0.1:3000/recording?account=a1' };
    assert.doesNotMatch(replyTo(forwarding, undefined, plain), /username|password/);
  });
});

test('the addresses to paste', () => {
  const { voiceUrl, statusUrl, recordingUrl, notes } = bandwidth.advise({
    voice: 'https://hooks.example.test/voice?account=a1',
    recording: 'https://hooks.example.test/recording?account=a1',
  });
  assert.equal(voiceUrl, 'https://hooks.example.test/voice?account=a1');
  assert.equal(statusUrl, 'https://hooks.example.test/voice?account=a1&step=status');
  assert.equal(recordingUrl, 'https://hooks.example.test/recording?account=a1');
  assert.ok(notes.some((note) => /https/.test(note)));
});
