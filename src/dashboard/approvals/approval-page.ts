import type { ApprovalDetails } from '../../integrations/index.ts';
import { type Html, html, sayBytes } from '../../platform/index.ts';
import { momentInText } from '../display/moment.ts';
import { pill } from '../display/pill.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import { factList } from '../parts.ts';
import type { Person } from '../person.ts';
import { requestsAddress } from '../requests/request-filter.ts';
import type { Providers } from '../requests/request-words.ts';
import { leftWords, providerWords, statePill, stateSentence, targetWords } from './approval-words.ts';
import { indentJson, showText } from './shown-text.ts';

export type ApprovalPageView = {
  approval: ApprovalDetails;
  providers: Providers;
  /** What the token may do, a line for each thing. Empty if the token has ended. */
  rights: readonly string[];
  /** How many requests the token made in the last hour. `hasMore`: there were more. */
  recent: { count: number; hasMore: boolean };
};

export const APPROVALS = { path: '/approvals', name: 'Approvals' } as const;

type Body = NonNullable<ApprovalDetails['body']>;

const isJson = ({ headers }: ApprovalDetails): boolean =>
  headers?.some(({ name, value }) => name.toLowerCase() === 'content-type' && /[/+]json\b/i.test(value)) ?? false;

const readableBody = (
  approval: ApprovalDetails,
  { encoding, text }: Body,
): { shown: Html; kind: string; bytes: number } => {
  if (encoding === 'base64')
    return {
      shown: showText(text),
      kind: 'not text, so it is shown in Base64',
      bytes: Buffer.from(text, 'base64').length,
    };
  const asJson = isJson(approval);
  const shown = showText(asJson ? indentJson(text) : text);
  return { shown, kind: asJson ? 'JSON' : 'text', bytes: Buffer.byteLength(text) };
};

const bodySection = (approval: ApprovalDetails): Html => {
  const { body, state } = approval;
  const isWaiting = state === 'waiting';
  if (approval.headers === null)
    return html`<p class="quiet">Its headers and its body were erased when it expired.</p>`;
  if (!body) return html`<p class="quiet">${isWaiting ? 'Exactly this is sent, once. ' : ''}It has no body.</p>`;
  const { shown, kind, bytes } = readableBody(approval, body);
  return html`<pre class="asked" tabindex="0" role="region" aria-label="Body">${shown}</pre>
<p class="quiet">${isWaiting ? 'Exactly this is sent, once. ' : ''}${sayBytes(bytes)}, ${kind}.</p>`;
};

const headersSection = ({ headers }: ApprovalDetails): Html | null =>
  headers && headers.length > 0
    ? html`<h2>Headers</h2><pre class="asked" tabindex="0" role="region" aria-label="Headers">${headers.map(
        ({ name, value }) => html`${showText(name)}: ${showText(value)}\n`,
      )}</pre><p class="quiet">The credential of the account is added to them.</p>`
    : null;

const accountWords = ({ account, connection }: ApprovalDetails, provider: string): Html =>
  account.label === null
    ? html`${provider}, ${connection}`
    : html`${showText(account.label)} <span class="quiet">(${provider}, ${connection})</span>`;

const decideForms = (person: Person, { id }: ApprovalDetails): Html =>
  html`<div class="decide">${postForm(person, { action: `/approvals/${id}/approve`, button: 'Approve and send' })}
${postForm(person, { action: `/approvals/${id}/refuse`, button: 'Refuse', kind: 'danger' })}</div>`;

const verdict = ({ approval }: ApprovalPageView, { region }: Person): Html => {
  const { state, decidedBy, decidedAt, problem } = approval;
  if (state === 'waiting')
    return html`<p class="verdict">${pill('warn', 'Waiting for you')} <span class="quiet">${leftWords(Date.parse(approval.expiresAt) - region.now)}</span></p>`;
  const byWhom =
    decidedBy && decidedAt && html` Decided by ${decidedBy.label}, ${momentInText(Date.parse(decidedAt), region)}.`;
  return html`<p class="verdict">${statePill(approval)}</p>
<p>${stateSentence(approval)}${problem && ` ${problem}`}${byWhom}</p>`;
};

const recentWords = ({ approval: { token }, recent: { count, hasMore } }: ApprovalPageView): Html =>
  html`<p class="quiet">${token.name} made ${hasMore ? `more than ${count}` : count} ${count === 1 && !hasMore ? 'request' : 'requests'} in the last hour. <a href="${requestsAddress({ by: token.id })}">See them</a></p>`;

/** The page of a request that has to be approved. It shows everything that is sent but the credential. */
export const approvalPage = (person: Person, view: ApprovalPageView): DashboardPage => {
  const { approval, providers, rights } = view;
  const { token, to = '', state, requestedAt } = approval;
  const provider = providerWords(approval, providers);
  return {
    title: `${token.name} asks to send a ${approval.method} request to ${provider}`,
    under: [APPROVALS],
    content: html`<div class="approval">${verdict(view, person)}
<section class="sheet">${factList([
      ['Account', accountWords(approval, provider)],
      ['Token', html`${token.name}${rights.length > 0 && html` <span class="quiet">(${rights.join('; ')})</span>`}`],
      ['Request', html`<code>${showText(targetWords(approval))}</code>`],
      ['To', html`<code>${showText(to.replace(/^https:\/\//, ''))}</code>`],
      ['Asked', momentInText(Date.parse(requestedAt), person.region)],
    ])}
${bodySection(approval)}${headersSection(approval)}</section>
${state === 'waiting' && decideForms(person, approval)}
${recentWords(view)}</div>`,
  };
};
