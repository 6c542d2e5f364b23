import { type Html, html } from '../../../platform/index.ts';
import { dayTag } from '../../display/moment.ts';
import { pill } from '../../display/pill.ts';
import type { Region } from '../../display/region.ts';
import { sparkline } from '../../display/sparkline.ts';
import { connectionPill, sayUsed } from '../connection-words.ts';
import { type Entry, providerLink, type ShownConnection, shownAccountName } from '../entry.ts';
import type { LogoOf } from '../logos/logo.ts';
import { sayRequests, type UsageFinder } from '../usage.ts';

const MOST_ACCOUNTS = 4;
const MOST_SCOPES = 3;

type CardView = { logoOf: LogoOf; usageOf: UsageFinder; region: Region };

const accountRows = ({ id, name, connections }: Entry, { region }: CardView): Html => {
  const left = connections.length - MOST_ACCOUNTS;
  const rows = connections.slice(0, MOST_ACCOUNTS).map(
    (connection) =>
      html`<li><span>${shownAccountName(connection)}</span><span class="quiet">${sayUsed(connection, region)}</span></li>
`,
  );
  return html`<ul class="integration-accounts">${rows}${left > 0 && html`<li><a href="/integrations/${id}">${left} more<span class="unseen"> accounts of ${name}</span></a></li>`}</ul>`;
};

const missingNote = ({ provider, connection, missingScopes }: ShownConnection): Html | null => {
  if (missingScopes.length === 0) return null;
  const left = missingScopes.length - MOST_SCOPES;
  const named = missingScopes.slice(0, MOST_SCOPES).join(', ');
  return html`<p class="integration-note">Not granted: ${named}${left > 0 && ` and ${left} more`}. <a href="/integrations/${provider}/connections/${connection}/scopes">Request again</a></p>`;
};

/** The usage of a provider's only account. */
const usagePart = (connection: ShownConnection, { usageOf, region }: CardView): Html => {
  const { days, week } = usageOf(connection);
  if (week.requests === 0) return html`<p class="quiet">${sayUsed(connection, region)}</p>`;
  return html`<p class="quiet">${sayRequests(week.requests)} in 7 days</p>
${sparkline({ label: 'Requests per day', values: days.map(({ requests }) => requests) })}`;
};

/** When the first of the accounts has to be reconnected. The provider's page lists the others. */
const reconnectNote = (connections: readonly ShownConnection[], region: Region): Html | null => {
  const [first] = connections
    .flatMap(({ reconnectBefore }) => (reconnectBefore === null ? [] : [Date.parse(reconnectBefore)]))
    .sort((left, right) => left - right);
  return first === undefined ? null : html`<p class="integration-note">Reconnect by ${dayTag(first, region)}.</p>`;
};

/** The card of a provider with the team's accounts. */
export const connectedCard = (entry: Entry, view: CardView): Html => {
  const { connections } = entry;
  const [only] = connections.length === 1 ? connections : [];
  const notes = connections.map(
    (connection) =>
      html`${connection.status === 'degraded' && html`<p class="integration-note">${connection.lastError}</p>`}${missingNote(connection)}`,
  );
  return html`<li class="card integration"><div class="integration-title">${view.logoOf(entry)}<div><h3>${providerLink(entry)}</h3><p class="quiet">${only ? shownAccountName(only) : `${connections.length} accounts`}</p></div>${pill(...connectionPill(connections, view.region))}</div>
${notes.slice(0, MOST_ACCOUNTS)}${reconnectNote(connections, view.region)}${only ? usagePart(only, view) : accountRows(entry, view)}</li>
`;
};
