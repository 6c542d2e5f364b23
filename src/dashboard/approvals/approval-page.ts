import type { ApprovalDetails, ApprovalView } from '../../integrations/index.ts';
import { type Html, html, sayBytes } from '../../platform/index.ts';
import { momentInText } from '../display/moment.ts';
import { pill } from '../display/pill.ts';
import { indentJson, isLegible, showText } from '../display/shown-text.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import { factList } from '../parts.ts';
import type { Person } from '../person.ts';
import { requestsAddress } from '../requests/request-filter.ts';
import type { Providers } from '../requests/request-words.ts';
import { rightsLines } from '../settings/tokens/rights-lines.ts';
import type { SaidRight } from '../settings/tokens/rights-words.ts';
import { tokenAddress } from '../settings/tokens/tokens-page.ts';
import { APPROVALS, leftWords, outcomeWords, providerWords, statePill, targetWords } from './approval-words.ts';
import { nextSection } from './next-section.ts';

export type ApprovalPageView = {
  approval: ApprovalDetails;
  providers: Providers;
  /** What the token may do. Empty if the token has ended. */
  rights: readonly SaidRight[];
  /** The host of the client that the token was granted to. A client chooses its name, but not its host. */
  client: string | null;
  /** How many requests the token made in the last hour. `hasMore`: there were more. */
  recent: { count: number; hasMore: boolean };
  /** The other requests that wait, the one that expires first at the front. */
  waiting: readonly ApprovalView[];
};

type Body = NonNullable<ApprovalDetails['body']>;

const isJson = ({ headers }: ApprovalDetails): boolean =>
  headers?.some(({ name, value }) => name.toLowerCase() === 'content-type' && /[/+]json\b/i.test(value)) ?? false;

const readableBody = (
  approval: ApprovalDetails,
  { encoding, text }: Body,
): { shown: string; kind: string; bytes: number } => {
  if (encoding === 'base64')
    return { shown: text, kind: 'not text, so it is shown in Base64', bytes: Buffer.from(text, 'base64').length };
  if (!isLegible(text))
    return {
      shown: Buffer.from(text).toString('base64'),
      kind: 'text with so many characters that nobody sees that it is shown in Base64',
      bytes: Buffer.byteLength(text),
    };
  const asJson = isJson(approval);
  return { shown: asJson ? indentJson(text) : text, kind: asJson ? 'JSON' : 'text', bytes: Buffer.byteLength(text) };
};

/** What a reader can rely on. */
const promise = ({ state }: ApprovalDetails, isExact: boolean): string => {
  if (state !== 'waiting') return '';
  return isExact ? 'Exactly this is sent, once. ' : 'Exactly this is sent, once, except for white space. ';
};

const bodySection = (approval: ApprovalDetails): Html => {
  const { body } = approval;
  if (approval.headers === null)
    return html`<p class="quiet">Its headers and its body were erased when it expired.</p>`;
  if (!body) return html`<p class="quiet">${promise(approval, true)}It has no body.</p>`;
  const { shown, kind, bytes } = readableBody(approval, body);
  return html`<pre class="asked" tabindex="0" role="region" aria-label="Body">${showText(shown)}</pre>
<p class="quiet">${promise(approval, shown === body.text)}${sayBytes(bytes)}, ${kind}.</p>`;
};

const CREDENTIAL_ADDED: Readonly<Partial<Record<ApprovalView['state'], string>>> = {
  waiting: 'The credential of the account is added to them.',
  sending: 'The credential of the account is added to them.',
  sent: 'The credential of the account was added to them.',
};

const headersSection = ({ headers, state }: ApprovalDetails): Html | null =>
  headers && headers.length > 0
    ? html`<h2>Headers</h2><pre class="asked" tabindex="0" role="region" aria-label="Headers">${headers.map(
        ({ name, value }) => html`${showText(name)}: ${showText(value)}\n`,
      )}</pre>${CREDENTIAL_ADDED[state] && html`<p class="quiet">${CREDENTIAL_ADDED[state]}</p>`}`
    : null;

const accountWords = ({ account, connection }: ApprovalDetails, provider: string): Html =>
  account.label === null
    ? html`${provider}, ${connection}`
    : html`${showText(account.label)} <span class="quiet">(${provider}, ${connection})</span>`;

const decideForms = (person: Person, { id }: ApprovalDetails): Html =>
  html`<div class="decide">${postForm(person, { action: `/approvals/${id}/approve`, button: 'Approve and send' })}
${postForm(person, { action: `/approvals/${id}/refuse`, button: 'Refuse', kind: 'danger' })}</div>`;

const verdict = ({ approval }: ApprovalPageView, { region }: Person): Html => {
  const { state, decidedBy, decidedAt } = approval;
  if (state === 'waiting')
    return html`<p class="verdict">${pill('warn', 'Waiting for you')} <span class="quiet">${leftWords(Date.parse(approval.expiresAt) - region.now)}</span></p>`;
  const byWhom =
    decidedBy && decidedAt && html` Decided by ${decidedBy.label}, ${momentInText(Date.parse(decidedAt), region)}.`;
  return html`<p class="verdict">${statePill(approval)}</p>
<p>${outcomeWords(approval)}${byWhom}</p>`;
};

const recentWords = ({ approval: { token }, recent: { count, hasMore } }: ApprovalPageView): Html =>
  html`<p class="quiet">${token.name} made ${hasMore ? `more than ${count}` : count} ${count === 1 && !hasMore ? 'request' : 'requests'} in the last hour. <a href="${requestsAddress({ by: token.id })}">See them</a></p>`;

/** The page of a request that has to be approved. It shows everything that is sent but the credential. */
export const approvalPage = (person: Person, view: ApprovalPageView): DashboardPage => {
  const { approval, providers, rights, client } = view;
  const { token, to = '', state, requestedAt } = approval;
  const provider = providerWords(approval, providers);
  const isWaiting = state === 'waiting';
  const next = nextSection(state, view.waiting);
  return {
    title: `${token.name} asks to send a ${approval.method} request to ${provider}`,
    under: [APPROVALS],
    content: html`<div class="approval">${verdict(view, person)}${!isWaiting && next}
<section class="sheet">${factList([
      ['Account', accountWords(approval, provider)],
      [
        'Token',
        html`<a href="${tokenAddress(token.id)}">${showText(token.name)}</a>${client !== null && html` (${showText(client)})`}${rights.length > 0 && rightsLines(rights)}`,
      ],
      ['Request', html`<code>${showText(targetWords(approval))}</code>`],
      ['To', html`<code>${showText(to.replace(/^https:\/\//, ''))}</code>`],
      ['Asked', momentInText(Date.parse(requestedAt), person.region)],
    ])}
${bodySection(approval)}${headersSection(approval)}</section>
${isWaiting && html`${decideForms(person, approval)}${next}`}
${recentWords(view)}</div>`,
  };
};
