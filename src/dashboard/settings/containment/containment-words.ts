import type { ContainedView, ContainmentView } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { momentInText } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import { showText } from '../../display/shown-text.ts';
import { state, type Tone } from '../../parts.ts';

export const CONTAINMENT = { path: '/settings/containment', name: 'Emergency stop' };

type Shown = Pick<ContainmentView, 'state' | 'revoke' | 'listing'>;

/** Where a containment stands. */
export const containmentState = ({ state: is, revoke, listing }: Shown): Html => {
  if (is === 'lifted') return state('none', 'Lifted');
  if (is === 'finished') return state('bad', 'Stopped, revoked');
  return state('bad', revoke || listing ? 'Stopped, in progress' : 'Stopped', revoke || listing);
};

const STATES: Readonly<Record<NonNullable<ContainedView['state']>, readonly [Tone, string]>> = {
  revoked: ['good', 'Revoked'],
  already_gone: ['good', 'Had ended before'],
  shared: ['warn', 'Another connection uses the same access'],
  pending: ['warn', 'Being revoked'],
  failed: ['bad', 'Not revoked: the provider didn’t confirm it'],
  unsupported: ['bad', 'Has to be removed at the provider'],
  unknown: ['bad', 'Has to be removed at the provider'],
};

/** What became of a connection's grant. */
export const grantState = ({ state: is }: ContainedView): Html => {
  if (is === null) return state('none', 'Stopped here');
  const [tone, words] = STATES[is];
  return state(tone, words, is === 'pending');
};

/** What a containment stops, as part of a sentence: “GitHub connections from before June 1, 2026”. */
export const describeWhat = (
  { filters: { provider, connectedBefore, token } }: Pick<ContainmentView, 'filters'>,
  names: ReadonlyMap<string, string>,
  region: Region,
): Html => {
  const before = connectedBefore !== null && html` from before ${momentInText(Date.parse(connectedBefore), region)}`;
  const connections = provider === null ? 'all connections' : `${names.get(provider) ?? provider} connections`;
  if (token) return html`access token “${showText(token.name ?? token.id)}”`;
  return html`${connections}${before}${provider === null && !before && html`, and all access tokens`}`;
};
