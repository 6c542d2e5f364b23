import { connectionTitle, type Integration } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { pill } from '../display/pill.ts';
import type { Tone } from '../parts.ts';
import type { Overview } from './load-overview.ts';

/** How many connections are shown. Those with a problem come first. */
const MOST_PILLS = 12;

const HEALTH: Record<Integration['status'], readonly [tone: Tone, words: string]> = {
  needs_reconnect: ['bad', 'needs reconnecting'],
  degraded: ['warn', 'has issues'],
  connected: ['good', 'connected'],
  disconnected: ['none', 'not connected'],
};
const WORST_FIRST = Object.keys(HEALTH);

const rankOf = ({ status }: Integration): number => WORST_FIRST.indexOf(status);

type Health = { provider: string; words: Html | string; status: Integration['status'] };

/** Lists the connections. Working accounts of the same provider share a pill. */
const listHealth = (connections: Overview['connections']): Health[] => {
  const well = Map.groupBy(
    connections.filter(({ status }) => status === 'connected'),
    ({ provider }) => provider,
  );
  const troubled = connections.filter(({ status }) => status !== 'connected');
  return [
    ...troubled
      .sort((left, right) => rankOf(left) - rankOf(right))
      .map((one) => ({
        provider: one.provider,
        status: one.status,
        words: `${connectionTitle(one)} ${HEALTH[one.status][1]}`,
      })),
    ...[...well].flatMap(([provider, [first, ...more]]) =>
      first ? [{ provider, status: first.status, words: wordsOf(first, more.length) }] : [],
    ),
  ];
};

const wordsOf = (first: Integration, others: number): Html =>
  html`${others === 0 ? connectionTitle(first) : `${first.name} · ${others + 1} accounts`}<span class="unseen"> ${HEALTH[first.status][1]}</span>`;

const item = ({ provider, words, status }: Health): Html =>
  html`<li><a href="/integrations/${provider}">${pill(HEALTH[status][0], words, true)}</a></li>`;

/** Shows the connections, and whether they work. */
export const healthSection = ({ connections }: Overview): Html => {
  const more = { href: '/integrations', words: 'All integrations' };
  if (connections.length === 0)
    return card({
      title: 'Connections',
      content: html`<p class="quiet">Connect the tools your team works with. Patchbay keeps their access fresh, and tells you here when one stops working.</p>
<p><a class="button plain" href="/integrations">Choose a provider</a></p>`,
    });
  const health = listHealth(connections);
  const rest = health.length - MOST_PILLS;
  return card({
    title: 'Connections',
    more,
    content: html`<ul class="health">${health.slice(0, MOST_PILLS).map(item)}${rest > 0 && html`<li class="quiet">and ${rest} more</li>`}</ul>`,
  });
};
