import type { ApprovalView } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { APPROVALS, shortWords, statePill } from '../approvals/approval-words.ts';
import { card } from '../display/card.ts';
import { moment } from '../display/moment.ts';
import { showText } from '../display/shown-text.ts';
import { table } from '../parts.ts';
import type { Person } from '../person.ts';
import { requestsAddress } from '../requests/request-filter.ts';
import { connectionWords, requestWords, resultPill, tookWords } from '../requests/request-words.ts';
import type { Deed, DeedsView } from './load-deeds.ts';

/** How much of a path a row shows. The page that it leads to shows all of it. */
const MOST_PATH = 60;

/** Who decided: "approved by you", "refused by ann@example.com". What was approved can still be stopped by a problem. */
const deciderWords = ({ state, problem, decidedBy }: ApprovalView, { userId }: Person): Html | null =>
  decidedBy &&
  html`<span class="under">${state === 'refused' && problem === null ? 'refused' : 'approved'} by ${decidedBy.id === userId ? 'you' : decidedBy.label}</span>`;

/** What a row says of a deed. */
const tell = (deed: Deed, person: Person) => {
  if ('approval' in deed) {
    const { approval } = deed;
    const { id, token } = approval;
    const words = html`<a href="${APPROVALS.path}/${id}">${showText(shortWords(approval))}</a>`;
    const result = html`${statePill(approval)}${deciderWords(approval, person)}`;
    return { about: approval, token, words, result };
  }
  const { request } = deed;
  const { id, ms, by } = request;
  const words = html`<a href="/requests/${id}">${showText(requestWords(request, MOST_PATH))}</a>`;
  const result = html`${resultPill(request)}${ms !== null && html` <span class="quiet">in ${tookWords(ms)}</span>`}`;
  return { about: request, token: { id: by.id ?? '', name: by.name ?? '' }, words, result };
};

const row = (deed: Deed, { providers }: DeedsView, person: Person): Html => {
  const { about, token, words, result } = tell(deed, person);
  return html`<tr><td data-label="When">${moment(deed.at, person.region)}</td><td data-label="Agent"><a href="${requestsAddress({ by: token.id })}">${showText(token.name)}<span class="unseen">: all requests</span></a></td>
<th scope="row">${words}<span class="under">${connectionWords(about, providers)}</span></th><td data-label="Result">${result}</td></tr>
`;
};

/** What agents requested last. */
export const deedsSection = (person: Person, view: DeedsView): Html =>
  card({
    title: 'What they did',
    id: 'did',
    more: { href: APPROVALS.path, words: 'Approvals' },
    content:
      view.rows.length === 0
        ? html`<p class="quiet">Nothing in the last seven days. What agents request from providers appears here.</p>`
        : html`${table({
            label: 'What they did',
            kind: 'stack deeds',
            heads: ['When', 'Agent', 'Request', 'Result'],
            rows: view.rows.map((deed) => row(deed, view, person)),
          })}
<p class="quiet">The latest requests to providers, also those that waited for an approval. What agents read about calls and in reports isn't listed. <a href="/requests">All requests</a></p>`,
  });
