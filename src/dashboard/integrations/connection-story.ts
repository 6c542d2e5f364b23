import { DEFAULT_CONNECTION } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { copyable } from '../display/copy-button.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { sparkline } from '../display/sparkline.ts';
import { labelOf } from '../notice.ts';
import { factList } from '../parts.ts';
import type { ShownConnection } from './entry.ts';
import { type ShownUsage, sayUsage } from './usage.ts';

/** A list of scopes. Null if there are none. */
export const listScopes = (scopes: readonly string[]): Html | null =>
  scopes.length === 0
    ? null
    : html`<ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

/** Requests on each of the last seven days. Null if there were none. */
const usagePart = ({ days, week }: ShownUsage): Html | null =>
  week.requests === 0
    ? null
    : html`${sayUsage(week)}${sparkline({ label: 'Requests per day', values: days.map(({ requests }) => requests) })}`;

/**
 * The facts about a connection: its problem, dates, usage and scopes. Its name is included unless it's the only
 * connection and has the default name.
 */
export const connectionStory = (
  connection: ShownConnection,
  usage: ShownUsage,
  { region, isOnly, siteWord }: { region: Region; isOnly: boolean; siteWord: string | null },
): Html => {
  const { account, connectedBy, scopes, missingScopes, lastError } = connection;
  const at = (instant: string | null): Html | null => (instant === null ? null : moment(Date.parse(instant), region));
  const isNamed = !isOnly || connection.connection !== DEFAULT_CONNECTION;
  return factList([
    ['Problem', lastError],
    ['Since', at(connection.troubleSince)],
    ['Next attempt', at(connection.nextTryAt)],
    ['Name', isNamed && copyable('name', connection.connection)],
    ['Account ID', account.id !== null && copyable('account ID', account.id)],
    [siteWord ? labelOf(siteWord) : '', connection.site?.label ?? (connection.siteNeeded && 'Not chosen yet')],
    ['Connected', html`${at(connection.connectedAt)} by ${connectedBy.label}`],
    ['Last refreshed', at(connection.lastRefreshedAt)],
    ['Access token expires', at(connection.expiresAt)],
    ['Reconnect before', at(connection.reconnectBefore)],
    ['Last request', at(connection.lastUsedAt) ?? 'None yet'],
    ['Last 7 days', usagePart(usage)],
    ['Scopes granted', listScopes(scopes.filter((scope) => !missingScopes.includes(scope)))],
    ['Scopes not granted', listScopes(missingScopes)],
  ]);
};
