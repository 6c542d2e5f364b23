import { type Html, html } from '../../platform/index.ts';
import type { CallPage, ShownCall } from '../../telephony/index.ts';
import { momentInText } from '../display/moment.ts';
import { tabs } from '../display/tabs.ts';
import { csrfField, postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import {
  type CallTab,
  callsAddress,
  type EnteredFilter,
  extraFilterOf,
  isByCaller,
  isOldestFirst,
  tabAddress,
  tabOf,
} from './call-filter.ts';
import { LIST_SCRIPT, LIVE_SCRIPT } from './call-scripts.ts';
import { boundedCount, callsTable, MARK_ONE, MARK_SELECTED, messageCount } from './calls-table.ts';
import { callSearchForm, filterForm } from './filter-form.ts';
import { filterMenus, type OwnNumber } from './filter-menus.ts';

type CallsView = Omit<CallPage, 'rows'> & {
  calls: readonly ShownCall[];
  query: EnteredFilter;
  /** How many callers need a call back, and how many of them left a message. */
  waiting: { callers: number; messages: number };
  numbers: readonly OwnNumber[];
  hasDemo: boolean;
  /** Whether some calls were made by a simulation. */
  hasSimulated: boolean;
  /** When the calls were read. Later changes are shown live. */
  now: number;
};

/** Outside production: a button that simulates a call. */
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

const TAB_NAMES: Readonly<Record<CallTab, string>> = {
  all: 'All',
  waiting: 'Needs a call back',
  voicemail: 'Voicemail',
  answered: 'Answered',
};

const tabList = ({ query, waiting }: CallsView): Html => {
  const counts: Partial<Record<CallTab, string | false>> = {
    waiting: waiting.callers > 0 && boundedCount(waiting.callers),
    voicemail: waiting.messages > 0 && messageCount(waiting),
  };
  return tabs(
    'Calls',
    (Object.keys(TAB_NAMES) as CallTab[]).map((tab) => ({
      href: tabAddress(tab, query),
      name: TAB_NAMES[tab],
      isCurrent: tabOf(query) === tab,
      count: counts[tab] || null,
    })),
  );
};

/** Says how far back a search went. Numbers and names are encrypted, so a search covers only some calls at once. */
const searchNote = ({ searched, nextCursor, query }: CallsView, { region }: Person): Html | false =>
  searched?.until != null &&
  nextCursor !== null &&
  html`<p class="quiet">Searched ${searched.calls.toLocaleString('en')} ${searched.calls === 1 ? 'call' : 'calls'}, back to ${momentInText(searched.until, region)}. <a rel="next" href="${callsAddress('/calls', query, nextCursor)}">Search older calls</a></p>`;

const footer = (person: Person, view: CallsView): Html => {
  const { query, nextCursor, searched, hasDemo, hasSimulated } = view;
  return html`<nav class="calls-footer" aria-label="More calls">
${query.cursor && html`<a href="${callsAddress('/calls', query)}">${isOldestFirst(query) ? 'Oldest' : 'Newest'} calls</a>`}
${nextCursor && searched === null && html`<a class="older" rel="next" href="${callsAddress('/calls', query, nextCursor)}">${isOldestFirst(query) ? 'Newer' : 'Older'} calls</a>`}
${hasSimulated && person.role === 'admin' && html`<a class="button plain" href="/calls/demo/remove">Remove demo calls</a>`}${demoForm(person, hasDemo)}
</nav>`;
};

const empty = (view: CallsView): Html => {
  const { query, searched } = view;
  if (searched?.until != null) return html`<p class="empty">Nothing found so far.</p>`;
  return isByCaller(query) && !query.search?.trim() && !query.cursor
    ? html`<p class="empty">You're all caught up. Nobody is waiting for a call back.</p>`
    : html`<p class="empty">No matching calls. <a href="/calls">Show all calls</a></p>`;
};

/** The link that puts the longest wait first, for calling people back in that order. */
const orderLink = (query: EnteredFilter): Html | false => {
  if (!isByCaller(query) || query.search?.trim()) return false;
  const isOldest = isOldestFirst(query);
  const href = callsAddress('/calls', { ...query, order: isOldest ? '' : 'oldest' });
  return html`<a class="order" href="${href}">${isOldest ? 'Newest first' : 'Longest wait first'}</a>`;
};

/** The forms that mark calls as returned. Rows refer to them by ID, so that a row needs no CSRF token of its own. */
const markForms = ({ csrfToken }: Person, { query }: CallsView, canPick: boolean): Html => {
  const fields = html`${csrfField(csrfToken)}<input type="hidden" name="back" value="${callsAddress('/calls', query, query.cursor)}">`;
  return html`<form id="${MARK_ONE}" method="post" action="/calls/returned">${fields}</form>
<form id="${MARK_SELECTED}" class="bulk" method="post" action="/calls/returned">${fields}${
    canPick &&
    html`<label class="tick" data-pick-all hidden><input type="checkbox"> Select all</label><button class="plain">Mark selected as returned</button>${orderLink(query)}`
  }</form>`;
};

const list = (person: Person, view: CallsView): Html => {
  const canPick = tabOf(view.query) === 'waiting' && view.calls.length > 0;
  return html`${markForms(person, view, canPick)}${
    view.calls.length === 0
      ? empty(view)
      : callsTable(view.calls, person.region, { canPick, isOldestFirst: isOldestFirst(view.query) })
  }${searchNote(view, person)}${footer(person, view)}`;
};

/**
 * Whether new calls are added at the top. Only if the list shows its newest calls and has no filter besides the tab.
 */
const takesNew = (query: EnteredFilter): boolean =>
  !query.cursor && !query.search?.trim() && extraFilterOf(query).length === 0 && !isOldestFirst(query);

export const callsPage = (person: Person, view: CallsView): DashboardPage => {
  const { query, calls, now } = view;
  const tab = tabOf(query);
  const isWhole = takesNew(query);
  const isFirst = isWhole && tab === 'all' && calls.length === 0;
  const live = html`<p class="live" data-live-state></p>`;
  return {
    title: 'Calls',
    scripts: [LIVE_SCRIPT, LIST_SCRIPT],
    content: html`<div data-live="/calls/live" data-since="${now}"${isWhole && html` data-takes="${tab}"`}>
<p class="unseen" role="status" data-live-said></p>
${
  isFirst
    ? html`${live}${noCalls(person, view.hasDemo)}`
    : html`<div class="calls-head">${live}${callSearchForm(query)}<a class="button plain" href="${callsAddress('/calls.csv', query)}" download>CSV<span class="unseen">: download these calls as a file</span></a></div>
<div class="calls-bar">${tabList(view)}<div class="calls-narrow">${filterMenus(query, view.numbers, person.region)}${filterForm(query)}</div></div>${list(person, view)}`
}
</div>`,
  };
};
