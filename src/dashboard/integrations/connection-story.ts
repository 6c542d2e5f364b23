import { DEFAULT_CONNECTION, type Integration } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { factList, state } from '../parts.ts';
import type { Connection } from './entry.ts';
import { sayUsage, type Usage } from './usage.ts';

const STATES: Record<Integration['status'], Parameters<typeof state>> = {
  connected: ['good', 'Connected'],
  degraded: ['warn', 'Connected, with issues'],
  needs_reconnect: ['bad', 'Needs reconnecting'],
  disconnected: ['none', 'Not connected'],
};

export const connectionState = (status: Integration['status']): Html => state(...STATES[status]);

/** Null if there are none. */
export const listScopes = (scopes: readonly string[]): Html | null =>
  scopes.length === 0
    ? null
    : html`<ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

/** What has happened to a connection, and what comes next. Its name is shown if there is something to tell apart. */
export const connectionStory = (
  connection: Connection,
  { day, week }: Usage,
  { region, isOnly }: { region: Region; isOnly: boolean },
): Html => {
  const { account, connectedBy, scopes, missingScopes, lastError } = connection;
  const at = (instant: string | null): Html | null => (instant === null ? null : moment(Date.parse(instant), region));
  return factList([
    ['Name', (!isOnly || connection.connection !== DEFAULT_CONNECTION) && connection.connection],
    ['Account', account.label ?? account.id],
    ['Connected', at(connection.connectedAt)],
    ['Connected by', connectedBy.label],
    ['Last refreshed', at(connection.lastRefreshedAt)],
    ['Access token expires', at(connection.expiresAt)],
    ['Reconnect before', at(connection.reconnectBefore)],
    ['Last API request', at(connection.lastUsedAt) ?? 'None yet'],
    ['Last 24 hours', week && week.requests > 0 && sayUsage(day)],
    ['Last 7 days', week && week.requests > 0 && sayUsage(week)],
    ['Problem', lastError],
    ['Since', at(connection.troubleSince)],
    ['Next attempt', at(connection.nextTryAt)],
    ['Scopes granted', listScopes(scopes.filter((scope) => !missingScopes.includes(scope)))],
    ['Scopes not granted', listScopes(missingScopes)],
  ]);
};
