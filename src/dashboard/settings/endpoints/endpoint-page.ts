import {
  type AttemptTo,
  type EndpointInput,
  missedSince,
  type OpenEndpoint,
  shownUrlOf,
  toEventId,
} from '../../../events/index.ts';
import { type Html, html, type ListPage } from '../../../platform/index.ts';
import { moment, momentOrDash } from '../../display/moment.ts';
import { attemptRow, attemptState } from '../../events/attempt-parts.ts';
import { field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { toLocalTime } from '../../local-time.ts';
import { factList, pageSteps, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { endpointFieldset } from './endpoint-form.ts';
import { ENDPOINTS, endpointState, wantedTypesText } from './endpoint-state.ts';

type Tested = Parameters<typeof attemptState>[0] & { durationMs: number };

export type EndpointPageView = OpenEndpoint & {
  attempts: ListPage<AttemptTo>;
  /** The cursor of the shown page of attempts. */
  cursor: string | undefined;
  /** The result of a test that was just sent. */
  test?: Tested;
  /** The values of a form that was refused. */
  draft?: EndpointInput;
  period?: { since?: string; until?: string | undefined };
};

const pathOf = ({ endpoint }: OpenEndpoint): string => `${ENDPOINTS}/${endpoint.id}`;

const facts = ({ endpoint }: OpenEndpoint, { region }: Person): Html =>
  factList([
    ['State', endpointState(endpoint, region)],
    ['Sends', wantedTypesText(endpoint)],
    ['Description', endpoint.description],
    ['Last success', momentOrDash(endpoint.lastSuccessAt, region)],
    ['Last failure', momentOrDash(endpoint.lastFailureAt, region)],
    ['Added', moment(endpoint.createdAt, region)],
  ]);

const switchForm = (person: Person, view: EndpointPageView): Html =>
  view.endpoint.inactiveReason === null
    ? postForm(person, { action: `${pathOf(view)}/turn-off`, button: 'Turn off', kind: 'plain' })
    : html`<p>Once you turn it on, it gets what happens from then on. Below, you can have what it missed sent again.</p>
${postForm(person, { action: `${pathOf(view)}/turn-on`, button: 'Turn on' })}`;

const testResult = (test: Tested): Html =>
  html`<div role="status"><p>${attemptState(test)} after ${test.durationMs} ms.${test.error && ` ${test.error}`}</p></div>`;

const testSection = (person: Person, view: EndpointPageView): Html =>
  html`<section class="sheet" id="test"><h2>Test</h2>
<p class="lead">Sends an event of the type <code>test</code> once and waits for the response, for up to 15 seconds.</p>
${view.test && testResult(view.test)}
${postForm(person, { action: `${pathOf(view)}/test#test`, button: view.test ? 'Send another test' : 'Send a test' })}</section>`;

const attemptsSection = (view: EndpointPageView, { region }: Person): Html =>
  html`<section id="attempts"><h2>Attempts</h2>
${
  view.attempts.rows.length === 0
    ? html`<p class="quiet">${view.cursor === undefined ? 'Nothing has been sent here in the last 30 days.' : 'No older attempts.'}</p>`
    : table({
        label: 'Attempts',
        kind: 'stack',
        heads: ['Time', 'Event', 'Result', 'Duration', 'Error'],
        rows: view.attempts.rows.map((attempt) =>
          attemptRow(
            attempt,
            html`<td data-label="Event"><a href="/events/${toEventId(attempt.eventId)}">${attempt.type}</a></td>`,
            region,
          ),
        ),
      })
}
${pageSteps({ path: pathOf(view), cursor: view.cursor, nextCursor: view.attempts.nextCursor, anchor: 'attempts' })}</section>`;

const editSection = (person: Person, view: EndpointPageView): Html => {
  const { types, description } = view.endpoint;
  const draft = view.draft ?? { url: '', types, description };
  return html`<section class="sheet"><h2>Settings</h2>
${postForm(person, {
  action: pathOf(view),
  button: 'Save',
  content: endpointFieldset({ ...draft, shownUrl: shownUrlOf(view.url) }),
})}</section>`;
};

/** Suggests where a replay of missed events starts. Null unless the last attempt failed. */
const suggestedSince = ({ endpoint }: OpenEndpoint, timeZone: string): string | null =>
  (endpoint.lastFailureAt ?? 0) > (endpoint.lastSuccessAt ?? 0) ? toLocalTime(missedSince(endpoint), timeZone) : null;

const replayForm = (person: Person, view: EndpointPageView): Html =>
  postForm(person, {
    action: `${pathOf(view)}/replay`,
    button: 'Send again',
    kind: 'plain',
    content: html`${field({ name: 'since', label: 'Since', type: 'datetime-local', value: view.period?.since ?? suggestedSince(view, person.team.timeZone), required: true })}
${field({
  name: 'until',
  label: 'Until',
  type: 'datetime-local',
  value: view.period?.until ?? null,
  hint: `Leave this empty for everything up to now. Both are in your team's time zone, ${person.team.timeZone}.`,
})}`,
  });

const replaySection = (person: Person, view: EndpointPageView): Html => {
  const { inactiveReason, replayUntil } = view.endpoint;
  return html`<section class="sheet"><h2>Send a period again</h2>
<p class="lead">Everything that happened in a period and that this endpoint wants is sent once more, beside what happens now. Events are kept for 30 days.</p>
${replayUntil === null ? (inactiveReason === null ? replayForm(person, view) : html`<p>Turn the endpoint on first.</p>`) : html`<p role="status">A period is being sent again right now.</p>`}</section>`;
};

const secretSection = (view: EndpointPageView): Html =>
  html`<section class="sheet"><h2>Secret</h2>
<p>It verifies that requests come from Patchbay. It was shown once; if you don't have it anymore, make a new one.</p>
<p><a class="button plain" href="${pathOf(view)}/secret">New secret…</a></p></section>`;

export const endpointPage = (person: Person, view: EndpointPageView): DashboardPage => ({
  title: shownUrlOf(view.url),
  content: html`<section class="sheet">${facts(view, person)}
${switchForm(person, view)}</section>
${testSection(person, view)}
${editSection(person, view)}
${secretSection(view)}
${replaySection(person, view)}
<section class="sheet"><h2>Delete</h2>
<p>Nothing more is sent here. What happened stays in the log.</p>
<p><a class="button danger" href="${pathOf(view)}/delete">Delete endpoint…</a></p></section>
${attemptsSection(view, person)}`,
});
