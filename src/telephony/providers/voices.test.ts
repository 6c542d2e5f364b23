import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import VoiceResponse from 'twilio/lib/twiml/VoiceResponse.js';
import { REPLY_CONTEXT, replyTo } from '../../../test/harness/provider-contract/contract.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { findSpeech, type Speech } from '../contract/speech.ts';
import { PROVIDERS } from './index.ts';

type Say = { say(attributes: Speech, text: string): unknown; toString(): string };
type SignalwireLibrary = { RestClient: { LaML: { VoiceResponse: new () => Say } } };

const require = createRequire(import.meta.url);
type PlivoLibrary = { Response: new () => { addSpeak(text: string, attributes: Speech): unknown; toXML(): string } };

const { RestClient }: SignalwireLibrary = require('@signalwire/compatibility-api');
const plivoLibrary: PlivoLibrary = require('plivo');
const TEXT = 'Hello & welcome.';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

const saidWith = (response: Say, { voice, language }: Speech): string => {
  response.say({ voice, language }, TEXT);
  return response.toString();
};

const spokenWith = ({ voice, language }: Speech): string => {
  const response = new plivoLibrary.Response();
  response.addSpeak(TEXT, { voice, language });
  return `${DECLARATION}${response.toXML()}`;
};

/** What the vendor's own library renders, or the vendor's documents show if no library does. */
const EXPECTED: Readonly<Record<string, (speech: Speech) => string>> = {
  twilio: (speech) => saidWith(new VoiceResponse() as unknown as Say, speech),
  signalwire: (speech) => saidWith(new RestClient.LaML.VoiceResponse(), speech),
  telnyx: (speech) => saidWith(new VoiceResponse() as unknown as Say, speech),
  plivo: spokenWith,
  vonage: ({ language, voice }) => JSON.stringify([{ action: 'talk', text: TEXT, language, style: Number(voice) }]),
  bandwidth: ({ voice }) =>
    `${DECLARATION}<Response><SpeakSentence voice="${voice}">Hello &amp; welcome.</SpeakSentence></Response>`,
};

const speechesOf = ({ languages }: TelephonyProvider): Speech[] =>
  languages.flatMap(({ code, voices }) => voices.map(({ id }) => ({ language: code, voice: id })));

for (const provider of PROVIDERS)
  describe(`${provider.name}'s voices`, () => {
    test("are asked for as the vendor's own library would", () => {
      for (const speech of speechesOf(provider)) {
        const { body } = provider.render([{ verb: 'say', text: TEXT, speech }], REPLY_CONTEXT);
        assert.equal(body, EXPECTED[provider.id]?.(speech));
      }
    });

    test('include English, and each has its own id in its language', () => {
      assert.ok(provider.languages.some(({ code }) => code === 'en-US'));
      for (const { code, voices } of provider.languages) {
        assert.ok(voices.length > 0, code);
        assert.equal(new Set(voices.map(({ id }) => id)).size, voices.length, code);
        for (const { id } of voices) assert.match(`${code} ${id}`, /^\S+ \S+$/);
      }
    });

    test("speak a team's own words, and standard texts only in English", () => {
      const count = (
        answer: { speech: { language: string }; greeting: string },
        occasion?: Parameters<typeof replyTo>[2],
      ): number => {
        const { language } = answer.speech;
        const mark = provider.id === 'vonage' ? `"${language}"` : findSpeech(provider.languages, answer.speech)?.voice;
        return replyTo(provider, answer, occasion).split(mark ?? assert.fail()).length - 1;
      };
      const spanish = { greeting: 'Hola.', voicemailPrompt: 'Deje un mensaje.', speech: { language: 'es-ES' } };
      const british = { ...spanish, speech: { language: 'en-GB' } };
      assert.equal(count(spanish), 2);
      assert.equal(count({ greeting: 'Hola.', speech: spanish.speech }), 1);
      for (const kind of ['screen', 'after_voicemail'] as const)
        assert.deepEqual([count(spanish, { kind }), count(british, { kind })], [0, 1], kind);
    });

    test("give way to the standard voice if they don't exist", () => {
      const plain = replyTo(provider, { greeting: 'Hello.' });
      for (const speech of [
        { language: 'tlh-001' },
        { language: 'en-US', voice: 'Nobody' },
        { language: 'en-US', voice: 'Polly.Astrid' },
      ])
        assert.equal(replyTo(provider, { greeting: 'Hello.', speech }), plain);
    });
  });

for (const [id, file] of [
  ['twilio', 'twilio/lib/twiml/VoiceResponse.d.ts'],
  ['signalwire', '@signalwire/compatibility-api/lib/twiml/VoiceResponse.d.ts'],
] as const)
  test(`every voice and language of ${id} is in its library`, () => {
    const provider = PROVIDERS.find((candidate) => candidate.id === id) ?? assert.fail();
    const types = readFileSync(new URL(`../../../node_modules/${file}`, import.meta.url), 'utf8');
    const valuesOf = (name: string) =>
      new Set(
        [...(types.match(`type ${name} =([^;]+);`)?.[1] ?? '').matchAll(/['"]([^'"]+)['"]/g)].map((one) => one[1]),
      );
    const [known, spoken] = [valuesOf('SayVoice'), valuesOf('SayLanguage')];
    for (const { language, voice } of speechesOf(provider)) {
      assert.ok(known.has(voice), voice);
      assert.ok(spoken.has(language), language);
    }
  });
