import { type Html, html } from '../../../../platform/index.ts';
import type { AccountView } from '../../../../telephony/index.ts';
import { moment } from '../../../display/moment.ts';
import type { Region } from '../../../display/region.ts';
import { table } from '../../../parts.ts';

export const REFUSAL_WORDS: Readonly<Record<string, string>> = {
  missing: 'Not signed by the provider',
  bad_signature: "Secret or URL doesn't match",
  stale: 'Too old',
  malformed: 'Unreadable',
};

/** A refusal, with its account if the page shows several. */
type NamedRefusal = AccountView['refusals'][number] & { account?: Html };

const asSentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** Lists refused requests, and what an admin can do about each. */
export const refusalsTable = (refusals: readonly NamedRefusal[], region: Region): Html => {
  const isNamed = refusals.some(({ account }) => account);
  return table({
    label: 'Refused requests',
    kind: 'phone-refusals',
    heads: [
      'Reason',
      isNamed && 'Account',
      'What to check',
      html`<th scope="col" class="number">Count</th>`,
      'Last seen',
    ],
    rows: refusals.map(
      ({ reason, hint, count, lastAt, account }) =>
        html`<tr><th scope="row">${REFUSAL_WORDS[reason] ?? reason}</th>${isNamed && html`<td class="phone-owner">${account}</td>`}<td class="phone-hint">${asSentence(hint)}</td><td class="number">${count}</td><td>${lastAt ? moment(Date.parse(lastAt), region) : '–'}</td></tr>
`,
    ),
  });
};
