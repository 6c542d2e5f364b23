import { type Html, html } from '../../platform/index.ts';
import { moment } from '../moment.ts';
import type { Connection } from './entry.ts';

type Line = readonly [label: string, value: Html | string | null];

const listScopes = (scopes: readonly string[]): Html | null =>
  scopes.length === 0
    ? null
    : html`<ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

/** What has happened to a connection, and what will. A line without a value is not there. */
export const connectionStory = (connection: Connection, timeZone: string): Html => {
  const { account, connectedBy, scopes, missingScopes, lastError } = connection;
  const at = (instant: string | null): Html | null => (instant === null ? null : moment(Date.parse(instant), timeZone));
  const lines: Line[] = [
    ['Account', account.label ?? account.id],
    ['Connected', at(connection.connectedAt)],
    ['By', connectedBy.label],
    ['Last refreshed', at(connection.lastRefreshedAt)],
    ['Access token lasts until', at(connection.expiresAt)],
    ['Connect again before', at(connection.reconnectBefore)],
    ['Trouble', lastError],
    ['Since', at(connection.troubleSince)],
    ['Next try', at(connection.nextTryAt)],
    ['Granted', listScopes(scopes.filter((scope) => !missingScopes.includes(scope)))],
    ['Asked for, not granted', listScopes(missingScopes)],
  ];
  return html`<dl>${lines.map(([label, value]) => (value ? html`<dt>${label}</dt><dd>${value}</dd>` : ''))}</dl>`;
};
