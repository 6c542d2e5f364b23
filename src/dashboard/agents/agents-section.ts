import { type Html, html } from '../../platform/index.ts';
import type { AccessToken } from '../../teams/index.ts';
import { card } from '../display/card.ts';
import { dayTag, moment } from '../display/moment.ts';
import { pill } from '../display/pill.ts';
import type { Region } from '../display/region.ts';
import { showText } from '../display/shown-text.ts';
import { pageSteps, state, table } from '../parts.ts';
import type { Person } from '../person.ts';
import { rightsLines } from '../settings/tokens/rights-lines.ts';
import { type RightsSummary, summarizeRights } from '../settings/tokens/rights-words.ts';
import { stoppedMark, tokenOwner } from '../settings/tokens/tokens-page.ts';
import { AGENTS_PATH } from './agents-path.ts';
import type { AgentsView } from './load-agents.ts';

const DAY_MS = 86_400_000;

const NO_RIGHTS: RightsSummary = { reads: [], sends: [], asks: false, connects: false };

/** What becomes of what isn't only reading. */
const changesCell = ({ sends, asks, connects }: RightsSummary): Html => {
  const connecting =
    connects && html`<span class="under">Starts connecting accounts, which a person has to finish</span>`;
  if (sends.length === 0) return html`${asks ? pill('warn', 'asks first') : pill('none', 'never')}${connecting}`;
  return html`${pill('bad', "doesn't ask")}${rightsLines(sends)}${asks && html`<span class="under">Asks before anything else there</span>`}${connecting}`;
};

/** Where it came from, and whose it is, if it isn't the reader's own. */
const originWords = (token: AccessToken, { userId }: Person): Html =>
  html`<span class="under">${token.client === null ? 'token' : showText(token.client)}${token.userId !== userId && html`, ${tokenOwner(token)}`}</span>`;

/** The day, or also the time if it's near. */
const untilCell = (expiresAt: number, region: Region): Html => {
  if (expiresAt <= region.now) return state('bad', 'expired');
  return expiresAt - region.now < DAY_MS ? moment(expiresAt, region) : dayTag(expiresAt, region);
};

const row = (person: Person, token: AccessToken, { names }: AgentsView): Html => {
  const { id, name, restriction, expiresAt } = token;
  const rights = restriction ? summarizeRights(restriction, names) : NO_RIGHTS;
  return html`<tr><th scope="row">${showText(name)}${originWords(token, person)}</th><td data-label="May read">${rights.reads.length === 0 ? 'Nothing' : rightsLines(rights.reads)}</td>
<td data-label="Changes">${changesCell(rights)}</td><td data-label="Until">${stoppedMark(person, token) || untilCell(expiresAt, person.region)}</td>
<td class="action"><a href="/settings/tokens/${id}/revoke?from=agents">Remove<span class="unseen"> ${name}</span></a></td></tr>
`;
};

const none = ({ cursor }: AgentsView): Html =>
  cursor === undefined
    ? html`<p class="quiet">No agents yet. Add one with the address above.</p>`
    : html`<p class="quiet">No older agents.</p>`;

/** The agents that somebody let in: the reader's own, or for an admin the whole team's. */
export const agentsSection = (person: Person, view: AgentsView): Html => {
  const { agents, cursor } = view;
  const { rows, nextCursor } = agents;
  const isAll = cursor === undefined && nextCursor === null;
  return card({
    title: person.role === 'admin' ? "Your team's" : 'Yours',
    id: 'yours',
    ...(isAll && rows.length > 0 && { count: rows.length }),
    content: html`${
      rows.length === 0
        ? none(view)
        : table({
            label: 'Agents',
            kind: 'stack agents',
            heads: ['Agent', 'May read', 'Changes', 'Until', null],
            rows: rows.map((token) => row(person, token, view)),
          })
    }${pageSteps({ path: AGENTS_PATH, cursor, nextCursor, anchor: 'yours' })}`,
  });
};
