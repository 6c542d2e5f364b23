import type { ApprovalView } from '../../integrations/index.ts';
import { type Html, html, type ListPage } from '../../platform/index.ts';
import { moment } from '../display/moment.ts';
import { showText } from '../display/shown-text.ts';
import type { DashboardPage } from '../frame.ts';
import { pageSteps, table } from '../parts.ts';
import type { Person } from '../person.ts';
import type { Providers } from '../requests/request-words.ts';
import { APPROVALS, providerWords, shortWords, statePill } from './approval-words.ts';

export type ApprovalsPageView = {
  approvals: ListPage<ApprovalView>;
  cursor: string | undefined;
  providers: Providers;
};

const row = (approval: ApprovalView, { providers }: ApprovalsPageView, { region }: Person): Html => {
  const { id, account, token, requestedAt } = approval;
  return html`<tr><th scope="row"><a href="/approvals/${id}">${showText(shortWords(approval))}</a><span class="under">${providerWords(approval, providers)}${account.label !== null && html`, ${showText(account.label)}`}</span></th>
<td data-label="State">${statePill(approval)}</td><td data-label="Asked">${moment(Date.parse(requestedAt), region)}</td><td data-label="Token">${showText(token.name)}</td></tr>
`;
};

const nothing = (cursor: string | undefined): Html =>
  cursor === undefined
    ? html`<div class="empty"><p>Nothing has to be approved.</p><p class="quiet">A script or an agent can get <a href="/settings/tokens?preset=ask#new">an access token that asks before it writes</a>. What it asks for appears here, and behind the bell.</p></div>`
    : html`<div class="empty"><p>No older ones.</p></div>`;

/** The list of requests that have to be approved, or were. */
export const approvalsPage = (person: Person, view: ApprovalsPageView): DashboardPage => {
  const { approvals, cursor } = view;
  const { rows, nextCursor } = approvals;
  return {
    title: APPROVALS.name,
    content: html`<p class="lead">What <a href="/settings/tokens">restricted access tokens</a> asked to send, newest first. They are kept for 30 days, and no longer than their token.</p>
${
  rows.length === 0
    ? nothing(cursor)
    : table({
        label: APPROVALS.name,
        kind: 'stack requests',
        heads: ['Request', 'State', 'Asked', 'Token'],
        rows: rows.map((approval) => row(approval, view, person)),
      })
}
${pageSteps({ path: APPROVALS.path, cursor, nextCursor })}`,
  };
};
