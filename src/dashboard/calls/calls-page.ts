import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { CallSummary } from '../../telephony/index.ts';
import type { Person } from '../person.ts';
import { addressOf, filterOf, type ListQuery } from './call-filter.ts';
import { callsTable } from './calls-table.ts';
import { filterForm } from './filter-form.ts';
import { demoForm, noCalls } from './no-calls.ts';

export const LIVE_SCRIPT = 'calls.js';

export type CallsView = {
  calls: readonly CallSummary[];
  nextCursor: string | null;
  query: ListQuery;
  hasDemo: boolean;
  /** When this was read. Changes after that are shown live. */
  now: number;
  notice: Html | null;
};

const footer = (person: Person, { query, nextCursor, hasDemo }: CallsView): Html =>
  html`<nav class="calls-footer" aria-label="More calls">
${query.cursor ? html`<a href="${addressOf('/calls', query)}">Newest calls</a>` : ''}
${nextCursor === null ? '' : html`<a class="older" rel="next" href="${addressOf('/calls', query, nextCursor)}">Older calls</a>`}
<a href="${addressOf('/calls.csv', query)}" download>Download as CSV</a>
${demoForm(person, hasDemo, 'plain')}
</nav>`;

const list = (person: Person, view: CallsView): Html =>
  view.calls.length === 0
    ? html`<p class="empty">No matching calls. <a href="/calls">Show all calls</a></p>`
    : html`${callsTable(view.calls, person.team.timeZone)}${footer(person, view)}`;

/** New calls are added at the top only if the top is shown and nothing is filtered out. */
const isWhole = (query: ListQuery): boolean => !query.cursor && filterOf(query).length === 0;

export const callsPage = (person: Person, view: CallsView): Page => {
  const { query, calls, now, notice } = view;
  const whole = isWhole(query);
  const isFirst = whole && calls.length === 0;
  return {
    title: 'Calls',
    scripts: [LIVE_SCRIPT],
    content: html`${notice}<div data-live="/calls/live" data-since="${now}"${whole ? html` data-takes-new` : ''}>
<div class="head"><p class="lead">${isFirst ? '' : `Times in ${person.team.timeZone}`}</p><p class="live" data-live-state></p></div>
<p class="unseen" role="status" data-live-said></p>
${isFirst ? noCalls(person, view.hasDemo) : html`${filterForm(query)}${list(person, view)}`}
</div>`,
  };
};
