import { type Html, html } from '../../platform/index.ts';
import { choice, field } from '../form.ts';
import type { RequestsView } from './load-requests.ts';
import { isNarrowed, METHODS, RESULTS, requestsAddress, SUBJECT, subjectOf } from './request-filter.ts';
import { callerOfRequest, callerWords } from './request-words.ts';

const ANY = { value: '', label: 'Any' };

const RESULT_NAMES: Readonly<Record<(typeof RESULTS)[number], string>> = {
  failed: 'Failed',
  '2xx': '2xx: done',
  '3xx': '3xx: redirected',
  '4xx': '4xx: refused',
  '5xx': '5xx: error',
};
const RESULT_OPTIONS = [ANY, ...RESULTS.map((value) => ({ value, label: RESULT_NAMES[value] }))];
const METHOD_OPTIONS = [ANY, ...METHODS.map((value) => ({ value, label: value }))];

/** The callers on this page of the list, and the one that is chosen, even if none of its requests are on it. */
const callerOptions = ({ query: { by }, requests, people, chosen }: RequestsView) => {
  const names = new Map(requests.map((request) => [callerOfRequest(request), callerWords(request.by, people)]));
  if (by) names.set(by, chosen ?? by);
  const options = [...names].map(([value, label]) => ({ value, label }));
  return [{ value: '', label: 'Anyone' }, ...options];
};

/** The form that narrows the list down. The resulting URL can be bookmarked and shared. */
export const requestsForm = (view: RequestsView): Html => {
  const { query } = view;
  const subject = subjectOf(query);
  const hidden = SUBJECT.map(
    (name) => subject[name] && html`<input type="hidden" name="${name}" value="${subject[name]}">`,
  );
  return html`<form class="row narrows" method="get" action="/requests">${hidden}
${choice({ name: 'result', label: 'Result', value: query.result ?? '', options: RESULT_OPTIONS })}
${choice({ name: 'method', label: 'Method', value: query.method ?? '', options: METHOD_OPTIONS })}
${!subject.by && choice({ name: 'by', label: 'By', value: query.by ?? '', options: callerOptions(view) })}
${field({ name: 'since', label: 'Since', type: 'date', value: query.since ?? '' })}
<p class="row"><button class="plain">Apply</button>${isNarrowed(query) && html`<a href="${requestsAddress(subject)}">Clear<span class="unseen"> the filter</span></a>`}</p></form>`;
};
