import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROVIDERS } from '../../../../telephony/providers/index.ts';
import { fromSpeechField, languageName, speechOption, speechOptions, speechWords } from './speech-words.ts';

const [twilio] = PROVIDERS.filter(({ id }) => id === 'twilio');
assert.ok(twilio);

test('every language that a provider speaks has a name of its own', () => {
  for (const { languages } of PROVIDERS) {
    const names = languages.map(({ code }) => languageName(code));
    assert.equal(new Set(names).size, languages.length);
    for (const name of names) assert.match(name, /^\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*(?: \(\p{Lu}[\p{L} ]+\))?$/u);
  }
  assert.equal(languageName('es-MX'), 'Spanish (Mexico)');
  assert.equal(languageName('en-GB-WLS'), 'English (Wales)');
});

test('every voice is an option that stands for itself', () => {
  for (const provider of PROVIDERS) {
    const [standard, ...groups] = speechOptions(provider);
    assert.deepEqual(standard, { value: '', label: `${provider.name}'s standard voice, in English` });
    const options = groups.flatMap((group) => ('group' in group ? group.options : []));
    for (const { value } of options) assert.equal(speechOption(provider, value), value);
  }
});

test('a language alone is its first voice, and what the provider lacks is its standard voice', () => {
  assert.equal(speechOption(twilio, 'en-GB'), 'en-GB Polly.Amy');
  for (const field of ['', ' ', 'en-GB Nobody', 'tlh-001 Polly.Amy']) assert.equal(speechOption(twilio, field), '');
  assert.deepEqual(fromSpeechField('en-GB'), { speech: { language: 'en-GB' } });
  assert.deepEqual(fromSpeechField(''), {});
});

test('says who speaks', () => {
  assert.equal(speechWords(twilio, { language: 'es-MX', voice: 'Polly.Mia' }), 'Mia (female), Spanish (Mexico)');
  assert.equal(speechWords(twilio, null), "Twilio's standard voice, in English");
});
