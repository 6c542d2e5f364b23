import type { EventLine } from '../../events/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { CallStory, CallSummary } from '../../telephony/index.ts';
import { clockTime, moment, momentOrDash } from '../display/moment.ts';
import { phoneLink } from '../display/phone.ts';
import type { Region } from '../display/region.ts';
import { historySection } from '../events/history-section.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import { factList, state } from '../parts.ts';
import type { Person } from '../person.ts';
import { type Ends, endsOf, lengthOf, meaningOf, NO_NUMBER, outcomeState } from './call-words.ts';
import { eventWords } from './event-words.ts';
import { recordingSection } from './recording-section.ts';
import { storySection } from './story-section.ts';

const titleOf = ({ direction, from, to }: CallSummary): string =>
  direction === 'inbound' ? `Call from ${from ?? 'a private number'}` : `Call to ${to ?? 'an unknown number'}`;

const partyOf = ({ number, label }: Ends['from']): Html =>
  label === null ? html`${number ?? NO_NUMBER}` : html`${label} <span class="quiet">${number}</span>`;

const facts = ({ call, providerName }: CallStory, region: Region): Html => {
  const { from, to } = endsOf(call);
  return factList([
    ['From', partyOf(from)],
    ['To', partyOf(to)],
    ['Started', moment(call.startedAt, region)],
    ['Answered', momentOrDash(call.answeredAt, region)],
    ['Ended', momentOrDash(call.endedAt, region)],
    ['Talk time', call.talkSeconds === null ? '–' : lengthOf(call.talkSeconds)],
    [providerName, html`<code>${call.externalId}</code>`],
  ]);
};

/** The events that decide the outcome, in words. */
const evidenceOf = ({ call, events, evidence }: CallStory, region: Region): Html | null => {
  const decisive = events.filter(({ key }) => evidence.includes(key));
  return decisive.length === 0
    ? null
    : html`<p class="quiet">Based on: ${decisive.map(
        (event, index) =>
          html`${index > 0 && '; '}“${eventWords(event, call.direction)}”, ${clockTime(event.occurredAt, region)}`,
      )}</p>`;
};

const followUp = ({ id, from, isUntaken, returnedAt }: CallSummary, person: Person): Html | null => {
  if (!isUntaken) return null;
  if (returnedAt !== null)
    return html`<p>${state('good', 'Returned')} <span class="quiet">${moment(returnedAt, person.region)}</span></p>`;
  const link = phoneLink(from, person.region);
  return html`<p>${state('warn', 'Not returned')}</p>
<p>${link ? html`Call ${link} back through your provider, and this call is marked as returned automatically.` : "You can't call back because the caller's number is unknown."}</p>
${postForm(person, { action: `/calls/${id}/returned`, button: 'Mark as returned', kind: 'plain' })}`;
};

/** The story of one call. */
export const callPage = (person: Person, story: CallStory, history: readonly EventLine[]): DashboardPage => {
  const { call, recordings } = story;
  const { region } = person;
  return {
    title: titleOf(call),
    content: html`<section class="sheet call-head"><div>
<p class="verdict">${outcomeState(call)}</p>
<p>${meaningOf(call)}</p>
${evidenceOf(story, region)}${followUp(call, person)}
</div>
${facts(story, region)}
</section>
${recordingSection(recordings, region)}
${storySection(story, region)}
${historySection({ lines: history, region })}
<p><a href="/calls">All calls</a></p>`,
  };
};
