import { type Html, html } from '../../platform/index.ts';
import { OUTCOME_NAMES } from '../../telephony/index.ts';
import { countOf } from '../display/tabs.ts';
import { choice, field } from '../form.ts';
import { type EnteredFilter, extraFilterOf, filterOf, tabAddress, tabOf } from './call-filter.ts';

const ANY = { value: '', label: 'Any' };
const OUTCOME_OPTIONS = [ANY, ...Object.entries(OUTCOME_NAMES).map(([value, label]) => ({ value, label }))];
const DIRECTION_OPTIONS = [ANY, { value: 'inbound', label: 'Inbound' }, { value: 'outbound', label: 'Outbound' }];

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;

/**
 * Searches for any part of a number, a name, or the label of one of the team's numbers, within the current tab and
 * filter.
 */
export const callSearchForm = (query: EnteredFilter): Html =>
  html`<form class="find" role="search" method="get" action="/calls">${filterOf(query)
    .filter(([name]) => name !== 'search')
    .map(([name, value]) => hidden(name, value))}
<input type="search" name="search" value="${query.search}" placeholder="Number, name, or label" aria-label="Number, name, or label of your number" maxlength="100" autocomplete="off" data-find>
<button class="plain">Search</button></form>`;

/** The form that filters calls. The resulting URL can be bookmarked and shared. */
export const filterForm = (query: EnteredFilter): Html => {
  const count = extraFilterOf(query).length;
  const tab = tabOf(query);
  return html`${count > 0 && html`<a class="clear" href="${tabAddress(tab, query)}">Clear<span class="unseen"> filter</span></a>`}<details class="menu filter"><summary>Filter${count > 0 && html` ${countOf(count)}`}</summary><div>
<form method="get" action="/calls">${query.search && hidden('search', query.search)}${tab === 'waiting' && hidden('waiting', '1')}
<div class="filter-fields">
${choice({ name: 'outcome', label: 'Outcome', value: query.outcome ?? '', options: OUTCOME_OPTIONS })}
${choice({ name: 'direction', label: 'Direction', value: query.direction ?? '', options: DIRECTION_OPTIONS })}
${field({ name: 'from', label: 'From', value: query.from ?? '', placeholder: '+1555…' })}
${field({ name: 'to', label: 'To', value: query.to ?? '', placeholder: '+1555…' })}
${field({ name: 'since', label: 'Start date', type: 'date', value: query.since ?? '' })}
${field({ name: 'until', label: 'End date', type: 'date', value: query.until ?? '' })}
</div>
<button>Apply</button>
</form></div></details>`;
};
