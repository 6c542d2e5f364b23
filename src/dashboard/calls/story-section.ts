import { type Html, html } from '../../platform/index.ts';
import type { CallEvent, CallStory } from '../../telephony/index.ts';
import { clockTime } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { lengthOf } from './call-words.ts';
import { eventWords } from './event-words.ts';

const detailsOf = ({ kind, talkSeconds, legId, timeFrom, raw }: CallEvent): (Html | string)[] => [
  ...(talkSeconds === undefined ? [] : [`after talking for ${lengthOf(talkSeconds)}`]),
  ...(legId === null ? [] : [html`leg <code>${legId}</code>`]),
  ...(raw === undefined || kind === 'other' ? [] : [html`reported as <code>${raw}</code>`]),
  ...(timeFrom === 'received' ? ['time received'] : []),
];

/** What happened, event by event. The events that decide the outcome are marked. */
export const storySection = ({ call, events, evidence }: CallStory, region: Region): Html => {
  const item = (event: CallEvent): Html => {
    const details = detailsOf(event);
    const isDecisive = evidence.includes(event.key);
    return html`<li${isDecisive && html` class="decisive"`}>
${clockTime(event.occurredAt, region)}
<div><p>${eventWords(event, call.direction)}${isDecisive && html` <span class="because">decides the outcome</span>`}</p>
${details.length > 0 && html`<p class="quiet">${details.map((detail, index) => html`${index > 0 && ' · '}${detail}`)}</p>`}</div>
</li>`;
  };
  return html`<details class="raw"><summary>What happened, step by step</summary>
${
  events.length === 0
    ? html`<p class="quiet">Nothing has been reported about this call yet.</p>`
    : html`<ol class="story">${events.map(item)}</ol>`
}</details>`;
};
