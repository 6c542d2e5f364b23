import { type Html, html } from '../../../../platform/index.ts';
import type { AccountAnswer } from '../../../../telephony/index.ts';
import { moment } from '../../../moment.ts';

const REASONS: Readonly<Record<string, string>> = {
  missing: 'Not signed',
  bad_signature: 'Signature mismatch',
  stale: 'Too old',
  malformed: 'Malformed',
};

/** A refusal, and its account if that is not obvious. */
export type NamedRefusal = AccountAnswer['refusals'][number] & { account?: Html };

const asSentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** What was refused, and what an admin can do about it. */
export const refusalsTable = (refusals: readonly NamedRefusal[], timeZone: string): Html => {
  const isNamed = refusals.some(({ account }) => account);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Refused requests"><table class="phone-refusals">
<thead><tr><th scope="col">Reason</th>${isNamed && html`<th scope="col">Account</th>`}<th scope="col">What to check</th><th scope="col" class="number">Count</th><th scope="col">Last seen</th></tr></thead>
<tbody>${refusals.map(
    ({ reason, hint, count, lastAt, account }) =>
      html`<tr><th scope="row">${REASONS[reason] ?? reason}</th>${isNamed && html`<td class="phone-owner">${account}</td>`}<td class="phone-hint">${asSentence(hint)}</td><td class="number">${count}</td><td>${lastAt ? moment(Date.parse(lastAt), timeZone) : '–'}</td></tr>
`,
  )}</tbody></table></div>`;
};
