import { type Html, html } from '../../../platform/index.ts';
import { OTHER_ACTORS } from '../../../teams/index.ts';
import { choice, field } from '../../form.ts';
import { auditAddress, type EnteredAuditFilter, isFiltered } from './audit-filter.ts';
import { ACTION_GROUPS, ACTORS, describeAction } from './audit-words.ts';

type Option = { value: string; label: string };

/** Adds what is chosen if it isn't among the options. */
const withChosen = (options: readonly Option[], chosen: string, label: string): Option[] =>
  chosen === '' || options.some(({ value }) => value === chosen)
    ? [...options]
    : [...options, { value: chosen, label }];

const whoOptions = (members: readonly Option[], who: string, name: string | undefined) => {
  const others = OTHER_ACTORS.map((actor) => ({ value: actor, label: ACTORS[actor] }));
  const isOther = others.some(({ value }) => value === who);
  return [
    { value: '', label: 'Anyone' },
    { group: 'Members', options: withChosen(members, isOther ? '' : who, name ?? ACTORS.user) },
    { group: 'Others', options: others },
  ];
};

const whatOptions = (what: string) => {
  const isKnown = ACTION_GROUPS.some(({ options }) => options.some(({ value }) => value === what));
  const chosen = { value: what, label: describeAction({ action: what }) };
  return [{ value: '', label: 'Anything' }, ...ACTION_GROUPS, ...(isKnown || what === '' ? [] : [chosen])];
};

type Choices = {
  entered: EnteredAuditFilter;
  /** The members to choose from, and whether there are more. */
  members: readonly Option[];
  hasMore: boolean;
  /** The name of the chosen person. */
  chosenName: string | undefined;
};

/** The form that filters the audit log. The resulting URL can be bookmarked and shared. */
export const auditFilterForm = ({ entered, members, hasMore, chosenName }: Choices): Html => {
  const { who = '', what = '', since = '', until = '' } = entered;
  return html`<form class="audit-filter" method="get" action="/settings/audit">
<div class="filter-fields">
${choice({
  name: 'who',
  label: 'Who',
  value: who,
  options: whoOptions(members, who, chosenName),
  ...(hasMore && { hint: 'Others can be chosen by their names in the log.' }),
})}
${choice({ name: 'what', label: 'What', value: what, options: whatOptions(what) })}
${field({ name: 'since', label: 'Start date', type: 'date', value: since })}
${field({ name: 'until', label: 'End date', type: 'date', value: until })}
</div>
<p class="row"><button class="plain">Apply</button>${isFiltered(entered) && html`<a href="/settings/audit">Clear<span class="unseen"> filter</span></a>`}<a class="button plain" href="${auditAddress(entered, '/settings/audit.csv')}" download>CSV<span class="unseen">: download these entries as a file</span></a></p>
</form>`;
};
