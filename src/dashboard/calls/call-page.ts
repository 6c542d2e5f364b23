import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { CallStory, CallSummary } from '../../telephony/index.ts';
import { postForm } from '../form.ts';
import { moment, momentOrDash } from '../moment.ts';
import type { Person } from '../person.ts';
import { type Ends, endsOf, lengthOf, NO_NUMBER, outcomeState, wordOf } from './call-words.ts';
import { createClockTime } from './clock-time.ts';
import { eventWords } from './event-words.ts';
import { recordingSection } from './recording-section.ts';
import { storySection } from './story-section.ts';

const titleOf = ({ direction, from, to }: CallSummary): string =>
  direction === 'inbound' ? `Call from ${from ?? 'a private number'}` : `Call to ${to ?? 'an unknown number'}`;

const partyOf = ({ number, label }: Ends['from']): Html =>
  label === null ? html`${number ?? NO_NUMBER}` : html`${label} <span class="quiet">${number}</span>`;

const facts = ({ call, providerName }: CallStory, timeZone: string): Html => {
  const { from, to } = endsOf(call);
  return html`<dl>
<dt>From</dt><dd>${partyOf(from)}</dd>
<dt>To</dt><dd>${partyOf(to)}</dd>
<dt>Started</dt><dd>${moment(call.startedAt, timeZone)}</dd>
<dt>Answered</dt><dd>${momentOrDash(call.answeredAt, timeZone)}</dd>
<dt>Ended</dt><dd>${momentOrDash(call.endedAt, timeZone)}</dd>
<dt>Talk time</dt><dd>${call.talkSeconds === null ? '–' : lengthOf(call.talkSeconds)}</dd>
<dt>${providerName}</dt><dd><code>${call.externalId}</code></dd>
</dl>`;
};

/** The events that decide the outcome, in words. */
const evidenceOf = ({ call, events, evidence }: CallStory, timeZone: string): Html | null => {
  const clockTime = createClockTime(timeZone);
  const decisive = events.filter(({ key }) => evidence.includes(key));
  return decisive.length === 0
    ? null
    : html`<p class="quiet">Based on: ${decisive.map(
        (event, index) =>
          html`${index > 0 ? '; ' : ''}“${eventWords(event, call.direction)}”, ${clockTime(event.occurredAt)}`,
      )}</p>`;
};

const PHONE_NUMBER = /^\+\d{5,15}$/;

const followUp = ({ id, from, isUntaken, returnedAt }: CallSummary, { csrfToken, team }: Person): Html | null => {
  if (!isUntaken) return null;
  if (returnedAt !== null)
    return html`<p><span class="state good">Returned</span> <span class="quiet">${moment(returnedAt, team.timeZone)}</span></p>`;
  const callBack = from !== null && PHONE_NUMBER.test(from);
  return html`<p><span class="state warn">Not returned</span></p>
<p>${callBack ? html`Call <a href="tel:${from}">${from}</a> back through your provider and this updates automatically.` : 'No one can call back because the number is unknown.'}</p>
${postForm({ action: `/calls/${id}/returned`, csrfToken, button: 'Mark as returned', kind: 'plain' })}`;
};

/** The story of one call. */
export const callPage = (person: Person, story: CallStory, notice: Html | null): Page => {
  const { call, recordings } = story;
  const { timeZone } = person.team;
  return {
    title: titleOf(call),
    content: html`${notice}<section class="sheet call-head"><div>
<p class="verdict">${outcomeState(call)}</p>
<p>${wordOf(call).meaning}${call.outcome === null ? ' Reload the page for the latest.' : ''}</p>
${evidenceOf(story, timeZone)}${followUp(call, person)}
</div>
${facts(story, timeZone)}
</section>
${recordingSection(recordings, timeZone)}
${storySection(story, timeZone)}
<p><a href="/calls">All calls</a></p>`,
  };
};
