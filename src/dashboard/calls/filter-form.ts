import { type Html, html } from '../../platform/index.ts';
import { OUTCOME_NAMES } from '../../telephony/index.ts';
import { choice, field } from '../form.ts';
import { type CallFilter, filterOf } from './call-filter.ts';

const ANY = { value: '', label: 'Any' };
const OUTCOME_OPTIONS = [ANY, ...Object.entries(OUTCOME_NAMES).map(([value, label]) => ({ value, label }))];
const DIRECTION_OPTIONS = [ANY, { value: 'inbound', label: 'Inbound' }, { value: 'outbound', label: 'Outbound' }];

/** Which calls are shown. The result is a URL that can be bookmarked and shared. */
export const filterForm = (query: CallFilter): Html => {
  const count = filterOf(query).length;
  return html`<details class="filter"${count > 0 && html` open`}><summary>${count > 0 ? 'Filtered' : 'Filter'}</summary>
<form method="get" action="/calls">
<div class="filter-fields">
${choice({ name: 'outcome', label: 'Outcome', value: query.outcome ?? '', options: OUTCOME_OPTIONS })}
${choice({ name: 'direction', label: 'Direction', value: query.direction ?? '', options: DIRECTION_OPTIONS })}
${field({ name: 'from', label: 'From', value: query.from ?? '', placeholder: '+1555…' })}
${field({ name: 'to', label: 'To', value: query.to ?? '', placeholder: '+1555…' })}
${field({ name: 'since', label: 'Start date', type: 'date', value: query.since ?? '' })}
${field({ name: 'until', label: 'End date', type: 'date', value: query.until ?? '' })}
</div>
<div class="row"><label class="tick"><input type="checkbox" name="waiting" value="1"${query.waiting === '1' && html` checked`}> Only calls not yet returned</label>
<button>Apply</button>${count > 0 && html` <a href="/calls">Clear filter</a>`}</div>
</form></details>`;
};
