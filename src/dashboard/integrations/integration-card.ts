import { connectionTitle } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { momentInText } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { connectLink, disconnectLink, reconnectLink } from './connecting/connect-link.ts';
import { connectionState } from './connection-story.ts';
import { type Connection, type Entry, isReady } from './entry.ts';
import { logo } from './logos/logo.ts';
import { sayRequests, type UsageFinder } from './usage.ts';

/** When it will soon be time to reconnect, the card says so in color. */
const SOON_MS = 14 * 24 * 3_600_000;

export type CardView = {
  entry: Entry;
  connection: Connection | null;
  usageOf: UsageFinder;
  region: Region;
  now: number;
};

const reconnectLine = (before: string | null, { region, now }: CardView): Html | null => {
  if (before === null) return null;
  const at = Date.parse(before);
  return html`<p${at - now < SOON_MS && html` class="due"`}>Reconnect before ${momentInText(at, region)}</p>`;
};

const usageLine = (connection: Connection, { usageOf, region }: CardView): Html => {
  const { lastUsedAt } = connection;
  const { day } = usageOf(connection);
  if (day.requests > 0) return html`<p class="quiet">Last 24 hours: ${sayRequests(day)}</p>`;
  if (lastUsedAt === null) return html`<p class="quiet">No API requests yet</p>`;
  return html`<p class="quiet">Last API request ${momentInText(Date.parse(lastUsedAt), region)}</p>`;
};

const story = (connection: Connection, view: CardView): Html => {
  const { account, connectedAt, connectedBy, reconnectBefore, missingScopes, lastError, nextTryAt } = connection;
  return html`${account.label && html`<p class="account">${account.label}</p>`}
<p class="quiet">Connected ${momentInText(Date.parse(connectedAt), view.region)} by ${connectedBy.label}</p>
${usageLine(connection, view)}
${lastError && html`<p class="${connection.status === 'needs_reconnect' ? 'failed' : 'due'}">${lastError}</p>`}
${nextTryAt && html`<p class="due">Next attempt ${momentInText(Date.parse(nextTryAt), view.region)}</p>`}
${missingScopes.length > 0 && html`<p class="due">Some of the requested scopes weren't granted.</p>`}
${reconnectLine(reconnectBefore, view)}`;
};

const actions = ({ entry, connection }: CardView): Html => {
  if (!connection) return connectLink(entry);
  const mustConnect = connection.status === 'needs_reconnect' && isReady(entry);
  return html`${mustConnect && reconnectLink(entry, connection)}${disconnectLink(connection)}`;
};

/** A connection of the team, or a provider that it could connect right away. */
export const integrationCard = (view: CardView): Html => {
  const { entry, connection } = view;
  const { id, name } = entry;
  return html`<li class="integration${connection ? '' : ' short'}"><div class="integration-title">${logo(entry)}<div><h3><a class="integration-name" href="/integrations/${id}">${connection ? connectionTitle(connection) : name}</a></h3>
${connectionState(connection?.status ?? 'disconnected')}</div></div>
${connection && html`<div class="integration-story">${story(connection, view)}</div>`}
<div class="integration-actions">${actions(view)}</div></li>
`;
};
