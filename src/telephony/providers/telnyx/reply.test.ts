import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planReply } from '../../contract/answer-plan.ts';
import { settingsWhen } from '../../contract/answer-settings.ts';
import { deliverForm, forms } from './fixtures/deliveries.ts';
import { telnyx } from './index.ts';

const context = {
  stepUrl: (step: string) => `https://hooks.example.test/voice?account=a1&step=${step}`,
  recordingUrl: 'https://hooks.example.test/recording?account=a1',
  verifiedWith: null,
};
const replyTo = (answer: object | null, occasion: Parameters<typeof planReply>[0] = { kind: 'answer' }): string =>
  telnyx.render(planReply(occasion, answer && settingsWhen(answer, true)), context).body;

const occasionOf = (name: string, step = '', more: Record<string, string> = {}) =>
  telnyx.occasionOf(deliverForm({ ...forms[name], ...more }, step ? { step } : {}));

describe('what a delivery asks for', () => {
  for (const [what, name, step, more, occasion] of [
    ['a call comes in', 'incoming', '', {}, { kind: 'answer' }],
    ['the forwarding is over', 'dialAnswered', 'dialed', {}, { kind: 'after_dial', reached: true }],
    ['nobody took it', 'dialNotAnswered', 'dialed', {}, { kind: 'after_dial', reached: false }],
    ['a screened leg was short', 'dialAnswered', 'screened', {}, { kind: 'after_dial', reached: false }],
    [
      'a screened leg was long',
      'dialAnswered',
      'screened',
      { DialCallDuration: '61' },
      { kind: 'after_dial', reached: true },
    ],
    ['somebody was dialled', 'screening', 'screen', {}, { kind: 'screen' }],
    ['the key was pressed', 'keyPressed', 'screened', {}, { kind: 'screened', pressed: true }],
    ['no key was pressed', 'keyPressed', 'screened', { Digits: '' }, { kind: 'screened', pressed: false }],
    ['a message was left', 'messageLeft', 'voicemail', {}, { kind: 'after_voicemail' }],
    ['a notice', 'initiated', '', {}, { kind: 'nothing' }],
    ['a notice at its own address', 'incoming', 'status', {}, { kind: 'nothing' }],
    ['the call has ended', 'completed', '', {}, { kind: 'nothing' }],
  ] as const)
    test(what, () => assert.deepEqual(occasionOf(name, step, more), occasion));

  test('nothing, at the address of recordings', () => {
    assert.deepEqual(telnyx.occasionOf(deliverForm(forms['dialAnswered'], { route: 'recording', step: 'screened' })), {
      kind: 'nothing',
    });
  });
});

describe('the document', () => {
  test('forwards, and comes back to the step that says whether it was screened', () => {
    const forwardTo = ['+15551230002'];
    assert.match(replyTo({ forwardTo }), /<Dial action="[^"]*step=dialed"[^>]*><Number>\+15551230002<\/Number>/);
    const screened = replyTo({ forwardTo, screen: true, record: true });
    assert.match(screened, /<Dial action="[^"]*step=screened"[^>]*record="record-from-answer-dual"/);
    assert.match(screened, /<Number url="[^"]*step=screen">/);
  });

  test('screens, takes a message, thanks, and ends', () => {
    assert.match(replyTo({}, { kind: 'screen' }), /<Gather action="[^"]*step=screened"[^>]*>.*<\/Gather><Hangup\/>/);
    assert.match(replyTo({}, { kind: 'screened', pressed: true }), /<Response\/>$/);
    assert.match(replyTo({}, { kind: 'screened', pressed: false }), /<Hangup\/>/);
    assert.match(replyTo({}, { kind: 'after_dial', reached: false }), /<Record action="[^"]*step=voicemail"/);
    assert.match(replyTo({}, { kind: 'after_dial', reached: true }), /<Response><Hangup\/><\/Response>$/);
    assert.match(replyTo({}, { kind: 'after_voicemail' }), /Thank you.*<Hangup\/>/);
    assert.match(replyTo(null), /not in service.*<Hangup\/>/);
  });

  test('says a text and never carries it out', () => {
    const body = replyTo({ greeting: '</Say><Dial>+15550000000</Dial><Say>&"\'', voicemail: false });
    assert.equal(body.match(/<Dial/g), null);
    assert.match(body, /&lt;\/Say&gt;&lt;Dial&gt;/);
  });

  test('of a notice is an empty 200', () => {
    assert.deepEqual(telnyx.acknowledge(), { status: 200, contentType: null, body: '' });
  });
});
