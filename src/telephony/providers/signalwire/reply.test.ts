import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planReply } from '../../contract/answer-plan.ts';
import { settingsWhen } from '../../contract/answer-settings.ts';
import { deliver, forms } from './fixtures/deliveries.ts';
import { signalwire } from './index.ts';

const context = {
  stepUrl: (step: string) => `https://hooks.example.test/voice?account=a1&step=${step}`,
  recordingUrl: 'https://hooks.example.test/recording?account=a1',
  verifiedWith: null,
};
const replyTo = (answer: object | null, occasion: Parameters<typeof planReply>[0] = { kind: 'answer' }): string =>
  signalwire.render(planReply(occasion, answer && settingsWhen(answer, true)), context).body;

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
    ['a message was left', 'messageLeft', 'voicemail', {}, { kind: 'after_voicemail' }],
    ['a notice', 'answered', '', {}, { kind: 'nothing' }],
    ['a notice at its own address', 'incoming', 'status', {}, { kind: 'nothing' }],
  ] as const)
    test(what, () => assert.deepEqual(signalwire.occasionOf(deliver({ ...forms[name], ...more }, { step })), occasion));

  test('nothing, at the address of recordings', () => {
    const delivery = deliver(forms['dialAnswered'], { route: 'recording', step: 'screened' });
    assert.deepEqual(signalwire.occasionOf(delivery), { kind: 'nothing' });
  });
});

describe('the document', () => {
  test('forwards, and comes back to the step that says whether it was screened', () => {
    const forwardTo = ['+15551230002'];
    assert.match(replyTo({ forwardTo }), /<Dial action="[^"]*step=dialed"[^>]*><Number>\+15551230002<\/Number>/);
    assert.match(
      replyTo({ forwardTo, screen: true }),
      /<Dial action="[^"]*step=screened".*<Number url="[^"]*step=screen">/,
    );
  });

  test('screens, takes a message, thanks, and ends', () => {
    assert.match(replyTo({}, { kind: 'screen' }), /<Gather action="[^"]*step=screened"[^>]*>.*<\/Gather><Hangup\/>/);
    assert.match(replyTo({}, { kind: 'screened', pressed: true }), /<Response\/>$/);
    assert.match(replyTo({}, { kind: 'screened', pressed: false }), /<Hangup\/>/);
    assert.match(replyTo({}, { kind: 'after_dial', reached: false }), /<Record action="[^"]*step=voicemail"/);
    assert.match(replyTo({}, { kind: 'after_voicemail' }), /Thank you.*<Hangup\/>/);
    assert.match(replyTo(null), /not in service.*<Hangup\/>/);
  });

  test('says a text and never carries it out', () => {
    const body = replyTo({ greeting: '</Say><Dial>+15550000000</Dial>&"\'', voicemail: false });
    assert.equal(body.match(/<Dial/g), null);
  });
});

describe('a recording', () => {
  const recording = { recordingId: 'b3877c40-da60-4998-90ad-00000000000f', mediaUrl: 'https://evil.example/a.mp3' };
  const account = {
    accountId: '152c7660-e9cb-4d62-a4c9-000000000001',
    secrets: [{ id: 's1', value: 'PSK_signing_key' }],
    api: { space: 'Example', token: 'PT0123456789' },
  };

  test('is fetched and removed on the host of the space, never where the payload points', () => {
    const request = {
      headers: {
        authorization: `Basic ${Buffer.from('152c7660-e9cb-4d62-a4c9-000000000001:PT0123456789').toString('base64')}`,
      },
      hosts: ['example.signalwire.com'],
      redirectHosts: ['.signalwire.com', 's3.us-east-2.amazonaws.com'],
    };
    const url =
      'https://example.signalwire.com/api/laml/2010-04-01/Accounts/152c7660-e9cb-4d62-a4c9-000000000001/Recordings/b3877c40-da60-4998-90ad-00000000000f';
    assert.deepEqual(signalwire.mediaOf(recording, account), { ...request, url: `${url}.mp3` });
    assert.deepEqual(signalwire.removalOf(recording, account), { ...request, url: `${url}.json` });
  });

  test('is not asked for while something is missing', () => {
    for (const [bare, missing] of [
      [{ ...account, accountId: null }, 'the Project ID'],
      [{ ...account, api: { token: 'PT0123456789' } }, 'the name of the space (api.space)'],
      [{ ...account, api: { space: 'example' } }, 'an API token (api.token)'],
    ] as const)
      assert.deepEqual(signalwire.mediaOf(recording, bare), { missing });
    assert.ok('missing' in signalwire.mediaOf({ ...recording, recordingId: '../../x' }, account));
  });

  test('the name of a space is one label and cannot lead elsewhere', () => {
    const { pattern } = signalwire.rules.api['space'] ?? { pattern: /$^/ };
    for (const space of ['example', 'my-space-2']) assert.match(space, pattern);
    for (const space of ['', 'evil.example/', 'a.b', 'a@b', 'a#', '-a', 'a/']) assert.doesNotMatch(space, pattern);
  });
});
