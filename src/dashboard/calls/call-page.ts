import type { EventLine } from '../../events/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { type CallStory, type CallSummary, isRecentMark } from '../../telephony/index.ts';
import { copyable, copyButtonSaying } from '../display/copy-button.ts';
import { clockTime, moment } from '../display/moment.ts';
import { copyablePhone, phoneLink } from '../display/phone.ts';
import { pill } from '../display/pill.ts';
import type { Region } from '../display/region.ts';
import { historySection } from '../events/history-section.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import { factList, state } from '../parts.ts';
import type { Person } from '../person.ts';
import { FOLLOW_SCRIPT } from './call-scripts.ts';
import { lengthText, meaningOf, outcomeState, whoInText } from './call-words.ts';
import { eventWords } from './event-words.ts';
import { recordingSection } from './recording-section.ts';
import { storySection } from './story-section.ts';

/** A space within a phone number, which must not break across lines. */
const WITHIN_NUMBER = /(?<=[\d)]) (?=\d)/g;

const titleOf = (call: CallSummary, region: Region): string =>
  `${call.direction === 'inbound' ? 'Call from' : 'Call to'} ${whoInText(call, region).replace(WITHIN_NUMBER, '\u00a0')}`;

/** The contact, with a link to its page at the CRM. */
const contact = ({ person }: CallSummary, nameOf: (provider: string) => string): Html | null =>
  person &&
  html`${person.url === null ? person.name : html`<a class="outside" href="${person.url}" rel="noreferrer">${person.name}</a>`} <span class="quiet">from ${nameOf(person.provider)}</span>`;

const ends = ({ direction, from, fromName, to, numberLabel }: CallSummary, region: Region) => {
  const party = (number: string | null, name: string | null): Html =>
    html`${name}${name !== null && ' '}${number === null ? html`<span class="quiet">number withheld</span>` : copyablePhone(number, region)}`;
  return direction === 'inbound'
    ? { from: party(from, fromName), to: party(to, numberLabel) }
    : { from: party(from, numberLabel), to: party(to, null) };
};

const facts = ({ call, providerName }: CallStory, region: Region, nameOf: (provider: string) => string): Html => {
  const { from, to } = ends(call, region);
  return factList([
    ['From', from],
    ['To', to],
    ['Contact', contact(call, nameOf)],
    ['Started', moment(call.startedAt, region)],
    ['Answered', call.answeredAt !== null && moment(call.answeredAt, region)],
    ['Ended', call.endedAt !== null && moment(call.endedAt, region)],
    ['Talk time', call.talkSeconds !== null && lengthText(call.talkSeconds)],
    [`${providerName} ID`, copyable('ID', call.externalId)],
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

const followUp = (call: CallSummary, person: Person): Html | null => {
  const { id, from, isWaiting, isSimulated, markedReturnedAt, returnedAt } = call;
  const canUndo = markedReturnedAt !== null && isRecentMark(markedReturnedAt, person.region.now);
  if (returnedAt !== null)
    return html`<p>${state('good', 'Returned')} <span class="quiet">${moment(returnedAt, person.region)}</span></p>
${canUndo && postForm(person, { action: `/calls/${id}/reopened`, button: 'Undo', kind: 'plain' })}`;
  if (!isWaiting) return null;
  const link = phoneLink(from, person.region);
  const advice = link
    ? html`Call ${link} back through your provider, and this call is marked as returned automatically.`
    : "You can't call back because the caller's number is unknown.";
  return html`<p>${state('warn', 'Not returned')}</p>
<p>${isSimulated ? "A real call is marked as returned automatically when you call back. Nobody answers at a demo caller's number, so mark this one yourself." : advice}</p>
${postForm(person, { action: `/calls/${id}/returned`, button: 'Mark as returned', kind: 'plain' })}`;
};

/** The page of one call. `address` is the URL to share with a colleague. */
export const callPage = (
  person: Person,
  story: CallStory,
  { history, address, nameOf }: { history: readonly EventLine[]; address: string; nameOf(provider: string): string },
): DashboardPage => {
  const { call, recordings } = story;
  const { region } = person;
  return {
    title: titleOf(call, region),
    scripts: recordings.some(({ transcript }) => transcript && transcript.segments.length > 0) ? [FOLLOW_SCRIPT] : [],
    content: html`<p class="call-link">${copyButtonSaying('Copy link', address)}</p>
${recordingSection(recordings, region)}
<section class="sheet call-head"><div>
<p class="verdict">${outcomeState(call)}${call.isSimulated && html` ${pill('none', 'Demo call')}`}</p>
<p>${meaningOf(call)}</p>
${evidenceOf(story, region)}${followUp(call, person)}
</div>
${facts(story, region, nameOf)}
</section>
${storySection(story, region)}
${
  history.length > 0 &&
  html`<details class="raw"><summary>Recorded events</summary>${historySection({ lines: history, region })}</details>`
}`,
  };
};
