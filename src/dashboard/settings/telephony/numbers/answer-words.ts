import { type Html, html } from '../../../../platform/index.ts';
import {
  type Answer,
  type CallPreview,
  type ProviderInfo,
  previewAnswer,
  type Verb,
} from '../../../../telephony/index.ts';
import { phoneWords } from '../../../display/phone.ts';
import type { Region } from '../../../display/region.ts';
import { speechWords } from './speech-words.ts';

type Dial = Extract<Verb, { verb: 'dial' }>;

const listed = new Intl.ListFormat('en-US', { type: 'conjunction' });

const dialWords = ({ numbers: raw, ringSeconds, screen, record }: Dial, region: Region): string => {
  const numbers = raw.map((number) => phoneWords(number, region));
  const rings = numbers.length === 1 ? `${numbers[0]} rings` : `${listed.format(numbers)} ring at the same time`;
  return [
    `${rings} for ${ringSeconds} seconds.`,
    ...(screen ? ['The person who picks up must press a key to accept the call.'] : []),
    ...(record ? ['The call is recorded.'] : []),
  ].join(' ');
};

const verbWords = (provider: ProviderInfo, verb: Verb, region: Region): Html | string => {
  switch (verb.verb) {
    case 'say':
    case 'ask_key':
      return html`<q>${verb.text}</q> <span class="hint">${speechWords(provider, verb.speech)}</span>`;
    case 'dial':
      return dialWords(verb, region);
    case 'take_message':
      return `After a tone, the caller can leave a message of up to ${verb.mostSeconds / 60} minutes.`;
    case 'connect':
      return 'Both sides are connected.';
    case 'hang_up':
      return 'The call ends.';
  }
};

/** Describes what callers hear, step by step, and in which voice. */
export const previewWords = (provider: ProviderInfo, answer: Answer, region: Region): Html => {
  const { open, closed } = previewAnswer(answer, provider.languages);
  const steps = (plan: readonly Verb[]): Html =>
    html`<ol>${plan.map((verb) => html`<li>${verbWords(provider, verb, region)}</li>`)}</ol>`;
  const storyOf = ({ first, unanswered }: CallPreview): Html =>
    html`${steps(first)}${unanswered && html`<p>If no one answers:</p>${steps(unanswered)}`}`;
  return closed
    ? html`<h3>During business hours</h3>${storyOf(open)}<h3>Outside business hours</h3>${storyOf(closed)}`
    : storyOf(open);
};

const endWords = (plan: readonly Verb[]): string =>
  plan.some(({ verb }) => verb === 'take_message') ? 'takes a message' : 'says that no one is available';

const shortly = ({ first, unanswered }: CallPreview, region: Region): string => {
  const dial = first.find((verb) => verb.verb === 'dial');
  if (!dial || !unanswered) return endWords(first);
  const [number, ...more] = dial.numbers;
  const phones = number && more.length === 0 ? phoneWords(number, region) : `${dial.numbers.length} phones`;
  return `rings ${phones} for ${dial.ringSeconds} s, then ${endWords(unanswered)}`;
};

/** Describes how calls are answered in one line, without the spoken texts. */
export const previewInShort = (answer: Answer, region: Region): string => {
  const { open, closed } = previewAnswer(answer, []);
  return closed ? `${shortly(open, region)}; outside business hours ${shortly(closed, region)}` : shortly(open, region);
};
