import { type Html, html } from '../../platform/index.ts';
import { moment } from '../moment.ts';
import type { Connection } from './entry.ts';

type Line = readonly [label: string, value: Html | string | null];

const listScopes = (scopes: readonly string[]): Html | null =>
  scopes.length === 0
    ? null
    : html`<ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

/** What has happened to a connection, and what comes next. Lines without a value are left out. */
export const connectionStory = (connection: Connection, timeZone: string): Html => {
  const { account, connectedBy, scopes, missingScopes, lastError } = connection;
  const at = (instant: string | null): Html | null => (instant === null ? null : moment(Date.parse(instant), timeZone));
  const lines: Line[] = [
    ['Account', account.label ?? account.id],
    ['Connected', at(connection.connectedAt)],
    ['Connected by', connectedBy.label],
    ['Last refreshed', at(connection.lastRefreshedAt)],
    ['Access token expires', at(connection.expiresAt)],
    ['Reconnect before', at(connection.reconnectBefore)],
    ['Problem', lastError],
    ['Since', at(connection.troubleSince)],
    ['Next attempt', at(connection.nextTryAt)],
    ['Scopes granted', listScopes(scopes.filter((scope) => !missingScopes.includes(scope)))],
    ['Scopes not granted', listScopes(missingScopes)],
  ];
  return html`<dl>${lines.map(([label, value]) => (value ? html`<dt>${label}</dt><dd>${value}</dd>` : ''))}</dl>`;
};
