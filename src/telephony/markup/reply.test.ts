import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { planReply } from '../contract/answer-plan.ts';
import { settingsWhen } from '../contract/answer-settings.ts';
import type { Delivery } from '../contract/delivery.ts';
import { acknowledgeWith } from '../contract/reply.ts';
import { occasionOf, renderMarkup } from './reply.ts';

const context = {
  stepUrl: (step: string) => `https://hooks.example.test/voice?account=a1&step=${step}`,
  recordingUrl: 'https://hooks.example.test/recording?account=a1',
  verifiedWith: null,
};

const deliver = (params: Record<string, string>, { step = '', route = 'voice' } = {}): Delivery => ({
  route: route as Delivery['route'],
  method: 'POST',
  target: `/api/webhooks/telephony/${route}?account=a1${step ? `&step=${step}` : ''}`,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(new URLSearchParams(params).toString()),
});

const replyTo = (answer: object, occasion: Parameters<typeof planReply>[0] = { kind: 'answer' }): string =>
  renderMarkup(planReply(occasion, settingsWhen(answer, true)), context).body;

describe('what a delivery asks for', () => {
  for (const [what, delivery, occasion] of [
    ['a call comes in', deliver({ CallStatus: 'ringing' }), { kind: 'answer' }],
    [
      'nobody took the forwarded call',
      deliver({ DialCallStatus: 'no-answer' }, { step: 'dialed' }),
      { kind: 'after_dial', reached: false },
    ],
    [
      'somebody took it',
      deliver({ DialCallStatus: 'completed', DialBridged: 'true' }, { step: 'dialed' }),
      { kind: 'after_dial', reached: true },
    ],
    [
      'a machine took it',
      deliver({ DialCallStatus: 'completed', DialBridged: 'false' }, { step: 'dialed' }),
      { kind: 'after_dial', reached: false },
    ],
    ['a message was left', deliver({ RecordingDuration: '9' }, { step: 'voicemail' }), { kind: 'after_voicemail' }],
    ['a key was pressed', deliver({ Digits: '1' }, { step: 'screened' }), { kind: 'screened', pressed: true }],
    [
      'the call has ended',
      deliver({ CallStatus: 'completed', CallbackSource: 'call-progress-events' }),
      { kind: 'nothing' },
    ],
    [
      'it rings, as a notice',
      deliver({ CallStatus: 'ringing', CallbackSource: 'call-progress-events' }),
      { kind: 'nothing' },
    ],
    ['a recording is there', deliver({ RecordingStatus: 'completed' }, { route: 'recording' }), { kind: 'nothing' }],
  ] as const)
    test(what, () => assert.deepEqual(occasionOf(delivery), occasion));
});

describe('the document', () => {
  test('greets, tells of the recording, and forwards', () => {
    const body = replyTo({
      greeting: 'Hello',
      forwardTo: ['+15551230001', '+15551230002'],
      ringSeconds: 15,
      record: true,
    });
    assert.equal(
      body,
      '<?xml version="1.0" encoding="UTF-8"?><Response><Say>Hello</Say><Say>This call may be recorded.</Say>' +
        '<Dial action="https://hooks.example.test/voice?account=a1&amp;step=dialed" timeout="15" record="record-from-answer-dual"' +
        ' recordingStatusCallback="https://hooks.example.test/recording?account=a1"><Number>+15551230001</Number><Number>+15551230002</Number></Dial></Response>',
    );
  });

  test('asks whoever is dialled to press a key', () => {
    assert.match(replyTo({ forwardTo: ['+15551230001'], screen: true }), /<Number url="[^"]*step=screen">/);
    assert.match(
      replyTo({}, { kind: 'screen' }),
      /<Gather [^>]*step=screened[^>]*><Say>[^<]+<\/Say><\/Gather><Hangup\/>/,
    );
    assert.match(replyTo({}, { kind: 'screened', pressed: true }), /<Response\/>$/);
    assert.match(replyTo({}, { kind: 'screened', pressed: false }), /<Hangup\/>/);
  });

  test('takes a message where nobody is there, or ends politely', () => {
    assert.match(replyTo({}), /<Say>[^<]+<\/Say><Record action="[^"]*step=voicemail"/);
    assert.match(replyTo({ forwardTo: ['+15551230001'] }, { kind: 'after_dial', reached: false }), /<Record /);
    assert.match(replyTo({ voicemail: false }), /<Say>[^<]+<\/Say><Hangup\/>/);
    assert.match(replyTo({}, { kind: 'after_dial', reached: true }), /<Response><Hangup\/><\/Response>$/);
    assert.match(renderMarkup(planReply({ kind: 'answer' }, null), context).body, /not in service.*<Hangup\/>/);
  });

  test('is well formed whatever is said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (greeting) => {
        const said = /<Response><Say>([\s\S]*?)<\/Say>/.exec(replyTo({ greeting: `x${greeting}` }))?.[1] ?? '';
        assert.doesNotMatch(said, /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/);
        assert.doesNotMatch(said, /(?![\t\n\r])\p{Cc}|\p{Cs}/u);
      }),
      { numRuns: 500 },
    );
  });

  test('of a notice is empty: an empty response would end the call', () => {
    assert.deepEqual(acknowledgeWith(204)(), { status: 204, contentType: null, body: '' });
  });
});
