import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JSON_TYPE } from '../../../src/telephony/contract/delivery.ts';
import type { TelephonyProvider } from '../../../src/telephony/contract/provider.ts';
import { anyCharacter } from '../any-character.ts';
import { type ProviderContract, pickLike, REPLY_CONTEXT, replyTo } from './contract.ts';

const HARMFUL = /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)|(?![\t\n\r])\p{Cc}|\p{Cs}/u;

export const testReplies = (provider: TelephonyProvider, contract: ProviderContract): void => {
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

    test('is well-formed whatever it says, and never executes a text', () => {
      const isJson = contract.contentType.startsWith(JSON_TYPE);
      fc.assert(
        fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (greeting) => {
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

    test('asks for the text of a message only if the number wants it of the provider', () => {
      const asks = (transcribe: 'off' | 'own' | 'provider') =>
        /transcri/i.test(replyTo(provider, { voicemail: true, transcribe }));
      assert.deepEqual([asks('off'), asks('own'), asks('provider')], [false, false, provider.transcribes]);
    });

    test('has its content type, and a notice gets an empty reply', () => {
      const { status, contentType } = provider.render([{ verb: 'hang_up' }], REPLY_CONTEXT);
      assert.deepEqual([status, contentType], [200, contract.contentType]);
      assert.deepEqual(provider.acknowledge(), { status: contract.acknowledged, contentType: null, body: '' });
    });
  });
};

export const testMedia = (provider: TelephonyProvider, contract: ProviderContract): void => {
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
      test(`cannot be fetched: ${what}`, async () => {
        const request = await provider.mediaOf(locator, { ...contract.account, ...account });
        assert.ok('missing' in request);
        if (missing !== undefined) assert.deepEqual(request, { missing });
      });
  });
};

export const testSetup = (provider: TelephonyProvider, { fields, retry, notes: mentioned }: ProviderContract): void => {
  describe('the setup', () => {
    for (const [what, pattern = /$^/, right, wrong] of fields)
      test(`checks a field: ${what}`, () => {
        for (const value of right) assert.match(value, pattern);
        for (const value of wrong) assert.doesNotMatch(value, pattern);
      });

    test('gives the URLs to paste', () => {
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
