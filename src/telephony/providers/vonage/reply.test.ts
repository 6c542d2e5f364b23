import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { planReply } from '../../contract/answer-plan.ts';
import { settingsWhen } from '../../contract/answer-settings.ts';
import { get, payload, post } from './fixtures/sign-delivery.ts';
import { vonage } from './index.ts';

const VOICE = 'https://hooks.example.test/api/webhooks/telephony/voice?account=a1&number=n1';
const RECORDING = 'https://hooks.example.test/api/webhooks/telephony/recording?account=a1';
const context = { stepUrl: (step: string) => `${VOICE}&step=${step}`, recordingUrl: RECORDING, verifiedWith: null };

type Action = Record<string, unknown>;

const replyTo = (answer: object | null, occasion: Parameters<typeof planReply>[0] = { kind: 'answer' }): Action[] => {
  const settings = answer && settingsWhen(answer, true);
  const { status, contentType, body } = vonage.render(planReply(occasion, settings), context);
  assert.deepEqual([status, contentType], [200, 'application/json; charset=utf-8']);
  return JSON.parse(body);
};

const names = (actions: Action[]): unknown[] => actions.map(({ action }) => action);

describe('what a delivery asks for', () => {
  for (const [what, delivery, occasion] of [
    ['a call comes in', post(payload('answer')), { kind: 'answer' }],
    ['a call comes in, by GET', get(payload('answer')), { kind: 'answer' }],
    ['nobody took it', post(payload('legTimeout'), { step: 'dialed' }), { kind: 'after_dial', reached: false }],
    ['the line was busy', post(payload('legBusy'), { step: 'dialed' }), { kind: 'after_dial', reached: false }],
    ['it was declined', post(payload('legUnanswered'), { step: 'screen' }), { kind: 'after_dial', reached: false }],
    ['it was rejected', post(payload('legRejected'), { step: 'dialed' }), { kind: 'after_dial', reached: false }],
    ['it failed', post(payload('legFailed'), { step: 'dialed' }), { kind: 'after_dial', reached: false }],
    ['the end that follows', post(payload('legCompletedUntaken'), { step: 'dialed' }), { kind: 'nothing' }],
    ['the caller gave up', post(payload('legCancelled'), { step: 'dialed' }), { kind: 'nothing' }],
    ['it rings', post(payload('legRinging'), { step: 'dialed' }), { kind: 'nothing' }],
    ['somebody took it', post(payload('legAnswered'), { step: 'screen' }), { kind: 'nothing' }],
    ['they have talked', post(payload('legCompleted'), { step: 'dialed' }), { kind: 'nothing' }],
    [
      'the caller failed',
      post({ ...payload('callerStarted'), status: 'failed' }, { step: 'dialed' }),
      { kind: 'nothing' },
    ],
    ['is it a person', get(payload('legOnAnswer'), { step: 'screen' }), { kind: 'screen' }],
    ['a key was pressed', post(payload('legPressed'), { step: 'screened' }), { kind: 'screened', pressed: true }],
    ['no key was pressed', post(payload('legNotPressed'), { step: 'screened' }), { kind: 'screened', pressed: false }],
    [
      'keys in the older form',
      post({ uuid: 'a', dtmf: '4' }, { step: 'screened' }),
      { kind: 'screened', pressed: true },
    ],
    ['a message was left', post(payload('notify'), { step: 'voicemail' }), { kind: 'after_voicemail' }],
    ['a notice', post(payload('callerRinging'), { step: 'status' }), { kind: 'nothing' }],
    ['a notice at the voice address', post(payload('callerStarted')), { kind: 'nothing' }],
    ['an answer request at the status address', post(payload('answer'), { step: 'status' }), { kind: 'nothing' }],
    ['an error', post(payload('error')), { kind: 'nothing' }],
    ['a recording', post(payload('record'), { route: 'recording', step: 'voicemail' }), { kind: 'nothing' }],
  ] as const)
    test(what, () => assert.deepEqual(vonage.occasionOf(delivery), occasion));
});

describe('the document', () => {
  test('greets, tells of the recording, and forwards to the first number', () => {
    const forwardTo = ['+15551230002', '+15551230003'];
    assert.deepEqual(replyTo({ greeting: 'Hello', forwardTo, ringSeconds: 15, record: true }), [
      { action: 'talk', text: 'Hello' },
      { action: 'talk', text: 'This call may be recorded.' },
      {
        action: 'record',
        format: 'mp3',
        split: 'conversation',
        channels: 2,
        eventMethod: 'POST',
        eventUrl: [RECORDING],
      },
      {
        action: 'connect',
        randomFromNumber: true,
        timeout: 15,
        eventType: 'synchronous',
        eventUrl: [`${VOICE}&step=dialed`],
        eventMethod: 'POST',
        endpoint: [{ type: 'phone', number: '15551230002' }],
      },
    ]);
  });

  test('asks whoever is dialled to press a key', () => {
    const [connect] = replyTo({ forwardTo: ['+15551230002'], screen: true });
    assert.deepEqual(connect?.['eventUrl'], [`${VOICE}&step=screen`]);
    assert.deepEqual(connect?.['endpoint'], [
      { type: 'phone', number: '15551230002', onAnswer: { url: `${VOICE}&step=screen` } },
    ]);
    const [ask, input, ...rest] = replyTo({}, { kind: 'screen' });
    assert.equal(ask?.['bargeIn'], true);
    assert.deepEqual(input, {
      action: 'input',
      type: ['dtmf'],
      dtmf: { maxDigits: 1, timeOut: 8 },
      eventUrl: [`${VOICE}&step=screened`],
      eventMethod: 'POST',
    });
    assert.deepEqual(rest, [{ action: 'wait', timeout: 7_200 }]);
  });

  test('puts through whoever has pressed a key, and nobody else', () => {
    assert.deepEqual(replyTo({}, { kind: 'screened', pressed: true }), [{ action: 'wait', timeout: 0.1 }]);
    assert.deepEqual(replyTo({}, { kind: 'screened', pressed: false }), [{ action: 'wait', timeout: 7_200 }]);
  });

  test('takes a message where nobody is there, thanks for it, or ends politely', () => {
    const [, record, notify] = replyTo({});
    assert.deepEqual(record, {
      action: 'record',
      format: 'mp3',
      beepStart: true,
      endOnKey: '#',
      endOnSilence: 10,
      timeOut: 180,
      eventUrl: [`${RECORDING}&step=voicemail`],
      eventMethod: 'POST',
    });
    assert.deepEqual(notify, {
      action: 'notify',
      payload: { step: 'voicemail' },
      eventUrl: [`${VOICE}&step=voicemail`],
      eventMethod: 'POST',
    });
    const untaken = { kind: 'after_dial', reached: false } as const;
    assert.deepEqual(names(replyTo({ forwardTo: ['+15551230002'] }, untaken)), ['talk', 'record', 'notify']);
    assert.deepEqual(names(replyTo({ voicemail: false }, untaken)), ['talk']);
    assert.deepEqual(names(replyTo({}, { kind: 'after_voicemail' })), ['talk']);
  });

  test('says so where the number is not one of ours, and ends', () => {
    assert.deepEqual(names(replyTo(null)), ['talk']);
  });

  test('says a text and nothing else, whatever the text is', () => {
    const [first] = replyTo({ greeting: '<speak>Hi <break time="9s"/></speak>"},{"action":"connect"' });
    assert.equal(first?.['text'], 'speak Hi  break time="9s"/  /speak "},{"action":"connect"');
    assert.deepEqual(names(replyTo({ greeting: '<>', voicemail: false })), ['talk']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (greeting) => {
        const actions = replyTo({ greeting: `x${greeting}`, voicemail: false });
        assert.deepEqual(names(actions), ['talk', 'talk']);
        assert.doesNotMatch(String(actions[0]?.['text']), /[<>]|\p{Cc}|\p{Cs}/u);
      }),
      { numRuns: 500 },
    );
  });

  test('of a notice is empty, and the call goes on', () => {
    assert.deepEqual(vonage.acknowledge(), { status: 204, contentType: null, body: '' });
  });
});
