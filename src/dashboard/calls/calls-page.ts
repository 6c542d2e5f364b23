import { type Html, html } from '../../platform/index.ts';
import type { CallSummary } from '../../telephony/index.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { addressOf, type CallFilter, filterOf } from './call-filter.ts';
import { callsTable } from './calls-table.ts';
import { filterForm } from './filter-form.ts';

export const LIVE_SCRIPT = 'calls.js';

export type CallsView = {
  calls: readonly CallSummary[];
  nextCursor: string | null;
  query: CallFilter;
  hasDemo: boolean;
  /** When this was read. Changes after that are shown live. */
  now: number;
};

/** Outside production: a call without a phone. */
const demoForm = (person: Person, hasDemo: boolean): Html | false =>
  hasDemo &&
  person.role === 'admin' &&
  postForm(person, { action: '/calls/demo', button: 'Play a demo call', kind: 'plain' });

/** For a team without calls: how to get the first one. */
const noCalls = (person: Person, hasDemo: boolean): Html =>
  html`<section class="empty no-calls">
<h2>No calls yet</h2>
<p>Calls show up here as they ring. To get started:</p>
<ol>
<li><strong>Add your telephony account</strong> so that Patchbay recognizes your provider's requests.</li>
<li><strong>Add a number</strong> that people call, and choose how it's answered.</li>
<li><strong>Paste the webhook URLs</strong> from the account's page into your provider's settings.</li>
</ol>
${
  person.role === 'admin'
    ? html`<div class="no-calls-actions"><a class="button" href="/settings/telephony">Set up telephony</a>${demoForm(person, hasDemo)}</div>`
    : html`<p class="quiet">A team admin can do this under Settings.</p>`
}
</section>`;

const footer = (person: Person, { query, nextCursor, hasDemo }: CallsView): Html =>
  html`<nav class="calls-footer" aria-label="More calls">
${query.cursor && html`<a href="${addressOf('/calls', query)}">Newest calls</a>`}
${nextCursor && html`<a class="older" rel="next" href="${addressOf('/calls', query, nextCursor)}">Older calls</a>`}
<a href="${addressOf('/calls.csv', query)}" download>Download as CSV</a>
${demoForm(person, hasDemo)}
</nav>`;

const list = (person: Person, view: CallsView): Html =>
  view.calls.length === 0
    ? html`<p class="empty">No matching calls. <a href="/calls">Show all calls</a></p>`
    : html`${callsTable(view.calls, person.region)}${footer(person, view)}`;

/** New calls are added at the top only if the top is shown and nothing is filtered out. */
const isWhole = (query: CallFilter): boolean => !query.cursor && filterOf(query).length === 0;

export const callsPage = (person: Person, view: CallsView): DashboardPage => {
  const { query, calls, now } = view;
  const whole = isWhole(query);
  const isFirst = whole && calls.length === 0;
  return {
    title: 'Calls',
    scripts: [LIVE_SCRIPT],
    content: html`<div data-live="/calls/live" data-since="${now}"${whole && html` data-takes-new`}>
<div class="head"><p class="lead">${!isFirst && `Times are in ${person.team.timeZone}.`}</p><p class="live" data-live-state></p></div>
<p class="unseen" role="status" data-live-said></p>
${isFirst ? noCalls(person, view.hasDemo) : html`${filterForm(query)}${list(person, view)}`}
</div>`,
  };
};
