import { type Html, html } from '../../platform/index.ts';
import type { CallStory } from '../../telephony/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state } from '../parts.ts';

type Recording = CallStory['recordings'][number];
type Transcript = NonNullable<Recording['transcript']>;

const MAKERS = { provider: 'by the telephony provider', own: "by your Patchbay's transcription server" } as const;

/** A language tag, which tells a screen reader how to pronounce the text. A language's name can't. */
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/;

const languageOf = ({ language }: Transcript): Html | false =>
  language !== null && TAG.test(language) && language.length !== 3 && html` lang="${language}"`;

/** The words. With segments, a script shows which of them is being said (`follow.js`). */
const wordsOf = (transcript: Transcript, id: string): Html => {
  const { text, segments } = transcript;
  const lines = (text ?? '').split('\n').map((line, index) => html`${index > 0 && html`<br>`}${line}`);
  if (segments.length === 0) return html`<p class="words"${languageOf(transcript)}>${lines}</p>`;
  return html`<p class="words"${languageOf(transcript)} data-follows="audio-${id}">${segments.map(
    ({ start, end, text: said }) => html`<span data-start="${start}" data-end="${end}">${said}</span> `,
  )}</p>`;
};

const WAITING = state('none', 'Being turned into text');

/** What a machine heard in a recording. It's always said that a machine made it. */
export const transcriptSection = ({ id, transcript }: Recording, name: string, region: Region): Html | null => {
  if (!transcript) return null;
  const { problem, source, settledAt } = transcript;
  if (transcript.state === 'waiting')
    return html`<p>${WAITING}</p>${problem !== null && html`<p class="quiet">${problem} It is tried again.</p>`}`;
  if (transcript.state === 'failed')
    return html`<p>${state('warn', "Couldn't be turned into text")}</p>${problem !== null && html`<p class="quiet">${problem}</p>`}`;
  return html`<section class="transcript" aria-label="Transcript of ${name}">
<h4>What a machine heard</h4>
${wordsOf(transcript, id)}
<p class="quiet">Made ${MAKERS[source]}${settledAt !== null && html`, ${moment(settledAt, region)}`}. It may be wrong.</p>
</section>`;
};
