import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Occasion } from '../../contract/answer-plan.ts';
import { planReply } from '../../contract/answer-plan.ts';
import { settingsWhen } from '../../contract/answer-settings.ts';
import { deliver } from './fixtures/deliveries.ts';
import { plivo } from './index.ts';

const VOICE = 'https://hooks.example.test/voice?account=a1';
const RECORDING = 'https://hooks.example.test/recording?account=a1';
const RETRY = '#rc=3&amp;rp=ct,rt,5xx';
const context = { stepUrl: (step: string) => `${VOICE}&step=${step}`, recordingUrl: RECORDING, verifiedWith: null };

const replyTo = (
  answer: object | null,
  occasion: Exclude<Occasion, { kind: 'nothing' }> = { kind: 'answer' },
): string => plivo.render(planReply(occasion, answer && settingsWhen(answer, true)), context).body;
const xml = (inner: string): string => `<?xml version="1.0" encoding="UTF-8"?><Response>${inner}</Response>`;

const atStep = (name: string, step: string) => ({
  ...deliver(name),
  target: `/api/webhooks/telephony/voice?account=a1&step=${step}`,
});

describe('what a delivery asks for', () => {
  for (const [what, delivery, occasion] of [
    ['a call comes in', deliver('answer'), { kind: 'answer' }],
    ['a call comes in and is already taken', deliver('answer', { CallStatus: 'in-progress' }), { kind: 'answer' }],
    ['nobody took the forwarded call', deliver('dialUnanswered'), { kind: 'after_dial', reached: false }],
    ['somebody took it', deliver('dialCompleted'), { kind: 'after_dial', reached: true }],
    [
      'it ended before it was put through',
      deliver('dialCompleted', { DialBLegUUID: '' }),
      { kind: 'after_dial', reached: false },
    ],
    ['a message was left', deliver('message'), { kind: 'after_voicemail' }],
    ['somebody picked up who shall press a key', atStep('answer', 'screen'), { kind: 'screen' }],
    ['a leg was put through, as a notice', deliver('legConnected'), { kind: 'nothing' }],
    ['the call has ended', deliver('hangup'), { kind: 'nothing' }],
    [
      'the call has ended, at the voice address',
      { ...deliver('hangup'), target: deliver('answer').target },
      { kind: 'nothing' },
    ],
    ['it rings, as a notice', { ...deliver('outboundRinging'), target: deliver('answer').target }, { kind: 'nothing' }],
    ['a beginning at the status address', atStep('answer', 'status'), { kind: 'nothing' }],
    ['a step that is handed out nowhere', atStep('answer', 'screened'), { kind: 'nothing' }],
    ['a status that is not known', deliver('answer', { CallStatus: 'parked' }), { kind: 'nothing' }],
    ['a recording is there', deliver('recordingStored'), { kind: 'nothing' }],
    ['a message is stored', deliver('messageStored'), { kind: 'nothing' }],
  ] as const)
    test(what, () => assert.deepEqual(plivo.occasionOf(delivery), occasion));
});

describe('the document', () => {
  test('greets, tells of the recording, and forwards to several at once', () => {
    const numbers = ['+15551230001', '+15551230002'];
    assert.equal(
      replyTo({ greeting: 'Hello', forwardTo: numbers, ringSeconds: 15, record: true }),
      xml(
        '<Speak>Hello</Speak><Speak>This call may be recorded.</Speak>' +
          `<Record startOnDialAnswer="true" action="${RECORDING}${RETRY}" callbackUrl="${RECORDING}${RETRY}"` +
          ' redirect="false" fileFormat="mp3" maxLength="14400"/>' +
          `<Dial action="${VOICE}&amp;step=dialed${RETRY}" timeout="15" callbackUrl="${VOICE}&amp;step=status${RETRY}">` +
          '<Number>+15551230001</Number><Number>+15551230002</Number></Dial>',
      ),
    );
  });

  test('lets Plivo wait for the key of whoever is dialled', () => {
    assert.match(
      replyTo({ forwardTo: ['+15551230001'], screen: true }),
      /<Dial [^>]*confirmSound="[^"]*step=screen#[^"]*" confirmKey="1" confirmTimeout="20"><Number>/,
    );
    assert.equal(replyTo({}, { kind: 'screen' }), xml('<Speak>You have a call. Press 1 to accept.</Speak>'));
    assert.match(replyTo({}, { kind: 'screened', pressed: true }), /<Response\/>$/);
    assert.equal(replyTo({}, { kind: 'screened', pressed: false }), xml('<Hangup/>'));
    assert.doesNotMatch(replyTo({ forwardTo: ['+15551230001'] }), /confirm|<Record/);
  });

  test('takes a message, whose file is announced as a message, or ends politely', () => {
    const record =
      `<Record action="${VOICE}&amp;step=voicemail${RETRY}" callbackUrl="${RECORDING}&amp;step=voicemail${RETRY}"` +
      ' fileFormat="mp3" maxLength="180" playBeep="true"/>';
    assert.equal(replyTo({ voicemailPrompt: 'Speak' }), xml(`<Speak>Speak</Speak>${record}`));
    assert.ok(replyTo({ forwardTo: ['+15551230001'] }, { kind: 'after_dial', reached: false }).includes(record));
    assert.match(replyTo({ voicemail: false }), /<Speak>[^<]+<\/Speak><Hangup\/>/);
    assert.equal(replyTo({}, { kind: 'after_dial', reached: true }), xml('<Hangup/>'));
    assert.match(replyTo({}, { kind: 'after_voicemail' }), /<Speak>[^<]+<\/Speak><Hangup\/>/);
    assert.match(replyTo(null), /<Speak>[^<]*not in service[^<]*<\/Speak><Hangup\/>/);
  });

  test('is sent as XML, and well formed whatever is said', () => {
    const { status, contentType } = plivo.render([], context);
    assert.deepEqual([status, contentType], [200, 'text/xml; charset=utf-8']);
    assert.match(
      replyTo({ greeting: '</Speak><Dial><Number>+1900</Number></Dial><Speak>&x;' }),
      /<Speak>&lt;\/Speak&gt;&lt;Dial&gt;[^<]*&amp;x;<\/Speak><Speak>/,
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (greeting) => {
        const said = /<Response><Speak>([\s\S]*?)<\/Speak>/.exec(replyTo({ greeting: `x${greeting}` }))?.[1] ?? '';
        assert.match(said, /^x/);
        assert.doesNotMatch(said, /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/);
        assert.doesNotMatch(said, /(?![\t\n\r])\p{Cc}|\p{Cs}/u);
      }),
      { numRuns: 300 },
    );
  });

  test('of a notice is empty, and a 200: with anything else it comes again', () => {
    assert.deepEqual(plivo.acknowledge(), { status: 200, contentType: null, body: '' });
  });
});
