import { type Html, html } from '../../platform/index.ts';
import { agoInText, dayTag } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import type { Tone } from '../parts.ts';
import type { ShownConnection } from './entry.ts';

/** If a connection has to be reconnected within this time, the pill says so. */
const SOON_MS = 14 * 24 * 3_600_000;

const isDueSoon = ({ reconnectBefore }: ShownConnection, now: number): boolean =>
  reconnectBefore !== null && Date.parse(reconnectBefore) - now < SOON_MS;

/** The state of a provider's connections. If they differ, shows the one that needs attention most. */
export const connectionPill = (
  connections: readonly ShownConnection[],
  region: Region,
): readonly [tone: Tone, words: Html | string] => {
  if (connections.some(({ status }) => status === 'needs_reconnect')) return ['bad', 'Needs reconnecting'];
  if (connections.some(({ status }) => status === 'degraded')) return ['warn', 'Having issues'];
  const [due] = connections
    .filter((connection) => isDueSoon(connection, region.now))
    .map(({ reconnectBefore }) => Date.parse(reconnectBefore ?? ''))
    .sort((a, b) => a - b);
  if (due !== undefined) return ['warn', html`<span>By ${dayTag(due, region)}</span>`];
  if (connections.some(({ siteNeeded }) => siteNeeded)) return ['warn', 'Choice needed'];
  return connections.some(({ missingScopes }) => missingScopes.length > 0)
    ? ['warn', 'Scopes missing']
    : ['good', 'Connected'];
};

/** When a connection was last used: “Used 2 min ago”, “Not used yet”. */
export const sayUsed = ({ lastUsedAt }: ShownConnection, region: Region): Html | string =>
  lastUsedAt === null ? 'Not used yet' : html`Used ${agoInText(Date.parse(lastUsedAt), region)}`;
