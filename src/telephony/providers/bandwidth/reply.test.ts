import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/harness/any-character.ts';
import { replyTo as reply } from '../../../../test/harness/provider-contract.ts';
import { bandwidth } from './index.ts';

const replyTo = (answer: object, occasion?: Parameters<typeof reply>[2], more: Parameters<typeof reply>[3] = {}) =>
  reply(bandwidth, answer, occasion, more);

describe('the name and password for the URLs in a document', () => {
  const verifiedWith = 'patchbay:p<a>s"s:&word';
  const attributes = 'username="patchbay" password="p&lt;a&gt;s&quot;s:&amp;word"';
  const forwarding = { forwardTo: ['+15551230001'], record: true, screen: true };
  const addressed = /<(?:StartRecording|Transfer|PhoneNumber|Gather|Record)\b[^>]*>/g;

  test('are those of the delivery, at every URL', () => {
    const documents = [replyTo(forwarding, undefined, { verifiedWith }), replyTo({}, undefined, { verifiedWith })];
    const asked = replyTo({}, { kind: 'screen' }, { verifiedWith });
    const elements = [...documents, asked].flatMap((body) => body.match(addressed) ?? []);
    assert.equal(elements.length, 5);
    for (const one of elements) assert.ok(one.includes(attributes), one);
  });

  test('are not given to anyone who came without', () => {
    for (const body of [replyTo(forwarding), replyTo({}), replyTo({}, { kind: 'screen' })])
      assert.doesNotMatch(body, /username|password/);
  });

  test('are not sent in the clear', () => {
    const plain = { verifiedWith, recordingUrl: 'http://127.0.0.1:3000/recording?account=a1' };
    assert.doesNotMatch(replyTo(forwarding, undefined, plain), /username|password/);
  });
});

test('a document never has a blank sentence, which would make it invalid', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (greeting) => {
      const body = replyTo({ greeting, voicemail: false });
      const said = [...body.matchAll(/<SpeakSentence>([\s\S]*?)<\/SpeakSentence>/g)].map((match) => match[1] ?? '');
      assert.ok(said.length === 1 || said.length === 2);
      for (const text of said) assert.notEqual(text.trim(), '');
    }),
    { numRuns: 500 },
  );
});
