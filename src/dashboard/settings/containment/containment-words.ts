import {
  type ContainedView,
  type ContainmentView,
  sayContainmentState,
  sayGrantState,
} from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { exactMoment } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import { showText } from '../../display/shown-text.ts';
import { state, type Tone } from '../../parts.ts';

export const CONTAINMENT = { path: '/settings/containment', name: 'Emergency stop' };

/** Where a containment stands. */
export const containmentState = (one: Pick<ContainmentView, 'state' | 'revoke' | 'listing'>): Html => {
  const isMoving = one.state === 'active' && (one.revoke || one.listing);
  return state(one.state === 'lifted' ? 'none' : 'bad', sayContainmentState(one), isMoving);
};

const TONES: Readonly<Record<NonNullable<ContainedView['state']>, Tone>> = {
  revoked: 'good',
  already_gone: 'good',
  shared: 'warn',
  pending: 'warn',
  failed: 'bad',
  unsupported: 'bad',
  unknown: 'bad',
};

/** What became of a connection's access at its provider. */
export const grantState = (one: ContainedView, containment: ContainmentView): Html => {
  const wasStopped = containment.stopsConnections && containment.liftedAt !== null;
  const words = sayGrantState(one, containment);
  return one.state === null
    ? state('none', wasStopped ? 'Was only stopped here' : words)
    : state(TONES[one.state], words, one.state === 'pending');
};

/** What a containment is about, also before it begins. */
export type Described = Pick<ContainmentView, 'revoke'> & { filters: Omit<ContainmentView['filters'], 'team'> };

/** Whether it stops a token and nothing that the token was used with. */
export const isTokenOnly = ({ revoke, filters: { provider, connectedBefore, token } }: Described): boolean =>
  token !== null && !revoke && provider === null && connectedBefore === null;

/** Whether it stops all the team's access tokens. */
export const stopsAllTokens = ({ filters: { provider, connectedBefore, token } }: Described): boolean =>
  token === null && provider === null && connectedBefore === null;

/** What a containment stops, as part of a sentence: “GitHub connections from before June 1, 2026”. */
export const describeWhat = (described: Described, names: ReadonlyMap<string, string>, region: Region): Html => {
  const { provider, connectedBefore, token } = described.filters;
  const before = connectedBefore !== null && html` from before ${exactMoment(Date.parse(connectedBefore), region)}`;
  const kind = provider === null ? 'connections' : `${names.get(provider) ?? provider} connections`;
  if (!token)
    return html`${provider === null && 'all '}${kind}${before}${stopsAllTokens(described) && ', and all access tokens'}`;
  const used = !isTokenOnly(described) && html`, and ${kind}${before} that it was used with`;
  return html`access token “${showText(token.name ?? token.id)}”${used}`;
};

const MOST_IN_TITLE = 80;

/** The reason as a title: cut between words if it's long. */
export const containmentTitle = ({ reason }: Pick<ContainmentView, 'reason'>): string =>
  reason.length <= MOST_IN_TITLE ? reason : `${reason.slice(0, MOST_IN_TITLE).replace(/\s+\S*$/, '')}…`;
