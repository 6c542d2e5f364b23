import type { SetUp } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { pill } from '../../display/pill.ts';
import type { Region } from '../../display/region.ts';
import { countOf } from '../../display/tabs.ts';
import type { DashboardPage } from '../../frame.ts';
import { CATEGORIES } from '../categories.ts';
import { connectAddress, connectLink } from '../connecting/connect-link.ts';
import { connectionPill } from '../connection-words.ts';
import { type Entry, isReady, isSandbox, providerLink, usesKey } from '../entry.ts';
import { createLogos, type LogoOf, logo } from '../logos/logo.ts';
import type { UsageFinder } from '../usage.ts';
import { attentionCard } from './attention-card.ts';
import { connectedCard } from './connected-card.ts';
import { type Filter, integrationsAddress } from './filter.ts';
import type { Found, Paged, Shown } from './pick-shown.ts';
import { providerSearchForm, SEARCH_SCRIPT } from './search-form.ts';

type IntegrationsView = {
  /** How many providers there are. */
  count: number;
  filter: Filter;
  shown: Shown;
  /** What the team has set up for each provider with a broken connection, by provider. */
  setUps: ReadonlyMap<string, SetUp | null>;
  usageOf: UsageFinder;
  region: Region;
};

/** The most bytes for logos. With this limit, the overview and everything it loads stay below 60 KB. */
const MOST_LOGO_BYTES = 22_000;

/** The view with a function that draws logos. */
type Drawing = IntegrationsView & { logoOf: LogoOf };

type Shelf = { title: string; show: Filter['show']; paged: Paged<unknown>; list: Html };

const headOf = ({ title, show, paged: { total, items } }: Shelf): Html =>
  html`<div class="shelf-head"><h2 class="shelf-title">${title} ${countOf(total)}</h2>${total > items.length && html`<a class="shelf-more" href="${integrationsAddress({ show })}">Show all ${total}</a>`}</div>`;

const shelf = (given: Shelf): Html | null =>
  given.paged.items.length === 0 ? null : html`<section>${headOf(given)}${given.list}</section>`;

const readyCard = (entry: Entry, logoOf: LogoOf): Html =>
  html`<li class="card integration short"><div class="integration-title">${logoOf(entry)}<h3>${providerLink(entry)}</h3></div>${connectLink(entry)}</li>
`;

const stateOf = (entry: Entry, region: Region): Html | null => {
  if (entry.provider?.retired) return pill('none', 'Retired');
  // The text is shorter than elsewhere, because a tile is narrow.
  if (entry.connections.some(({ status }) => status === 'needs_reconnect')) return pill('bad', 'Reconnect');
  if (entry.connections.length > 0) return pill(...connectionPill(entry.connections, region));
  return isReady(entry) && !usesKey(entry) ? pill('none', 'Ready') : null;
};

const tiles = (entries: readonly Entry[], { region, logoOf }: Drawing): Html =>
  html`<ul class="tiles">${entries.map(
    (entry) =>
      html`<li><a href="/integrations/${entry.id}">${logoOf(entry)}<span>${entry.name}</span>${stateOf(entry, region)}</a></li>
`,
  )}</ul>`;

const categoryLinks = ({ q, category, show }: Filter): Html => {
  const linkTo = (name: string, href: string, isCurrent: boolean): Html =>
    html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${name}</a>`;
  const all = linkTo(
    'All',
    integrationsAddress({ q, show: q === '' ? 'all' : null }),
    category === null && (show === 'all' || q !== ''),
  );
  return html`<nav class="categories" aria-label="Categories">${all}${CATEGORIES.map((one) => linkTo(one, integrationsAddress({ q, category: one }), one === category))}</nav>`;
};

/** Says what to do first. Outside production, offers the sandbox, which needs no account. */
const nothingConnected = (ready: readonly Entry[]): Html => {
  const sandbox = ready.find(isSandbox);
  const next =
    ready.length > 0
      ? "Choose a provider below. You'll be sent there to approve access, or asked for a key."
      : 'Choose a provider below. Its page shows what to register there and what to set here.';
  return html`<div class="empty no-integration"><h2>Nothing is connected</h2><p>${next}</p>
${sandbox && html`<p>The sandbox doesn't need an account. Try it first.</p><p><a class="button" href="${connectAddress(sandbox)}">Connect the sandbox</a></p>`}</div>`;
};

const shelves = ({ shown, setUps, ...view }: Drawing): Html => {
  const { attention, connected, ready } = shown;
  return html`${shelf({
    ...{ title: 'Needs attention', show: 'attention', paged: attention },
    list: html`<ul class="integrations">${attention.items.map((broken) => attentionCard(broken, setUps.get(broken.entry.id) ?? null, view))}</ul>`,
  })}${shelf({
    ...{ title: 'Connected', show: 'connected', paged: connected },
    list: html`<ul class="integrations">${connected.items.map((entry) => connectedCard(entry, view))}</ul>`,
  })}${shelf({
    ...{ title: 'Ready to connect', show: 'ready', paged: ready },
    list: html`<ul class="integrations">${ready.items.map((entry) => readyCard(entry, view.logoOf))}</ul>`,
  })}`;
};

const overview = (view: Drawing): Html => {
  const { shown, filter, count } = view;
  const { attention, connected, ready, others } = shown;
  const title = others.hasMore ? 'Popular providers' : 'More providers';
  return html`${attention.total + connected.total === 0 && nothingConnected(ready.items)}${shelves(view)}
<section><div class="shelf-head"><h2 class="shelf-title">${title}</h2><a class="shelf-more" href="${integrationsAddress({ show: 'all' })}">Browse all ${count}</a></div>
${categoryLinks(filter)}${tiles(others.items, view)}</section>`;
};

const steps = (filter: Filter, hasMore: boolean): Html | null => {
  const { page } = filter;
  if (page === 1 && !hasMore) return null;
  return html`<p class="row">${page > 1 && html`<a rel="prev" href="${integrationsAddress({ ...filter, page: page - 1 })}">Previous</a>`}${hasMore && html`<a rel="next" href="${integrationsAddress({ ...filter, page: page + 1 })}">Next</a>`}</p>`;
};

const describeFound = ({ providers, total }: Found): string => {
  const counted = providers === 1 ? '1 provider' : `${providers === 0 ? 'No' : providers} providers`;
  if (total === providers) return counted;
  return providers === 0 ? 'The sandbox' : `${counted} and the sandbox`;
};

const describe = ({ q, category }: Filter, found: Found): string =>
  [describeFound(found), ...(q === '' ? [] : [`for “${q}”`]), ...(category === null ? [] : [`in ${category}`])].join(
    ' ',
  );

const foundPart = (view: Drawing, found: Found): Html => {
  const { filter } = view;
  const { items, total, hasMore } = found;
  return html`<section><div class="shelf-head"><h2 class="shelf-title">${describe(filter, found)}</h2><a class="shelf-more" href="/integrations">Overview</a></div>
${categoryLinks(filter)}
${total === 0 && html`<p>You can add any provider with OAuth or API keys. Describe it in a JSON file and set <code>PATCHBAY_PROVIDERS</code> to its path.</p>`}
${tiles(items, view)}${steps(filter, hasMore)}</section>`;
};

const onePart = (view: Drawing): Html => {
  const { shown, filter } = view;
  const hasMore = [shown.attention, shown.connected, shown.ready].some((paged) => paged.hasMore);
  return html`${shelves(view)}${steps(filter, hasMore)}<p><a href="/integrations">Overview</a></p>`;
};

export const integrationsPage = (view: IntegrationsView): DashboardPage => {
  const { filter, shown, count } = view;
  const drawing = { ...view, logoOf: shown.found ? logo : createLogos(MOST_LOGO_BYTES) };
  const part = shown.found ? foundPart(drawing, shown.found) : (filter.show ? onePart : overview)(drawing);
  return {
    title: 'Integrations',
    scripts: [SEARCH_SCRIPT.name],
    content: html`${providerSearchForm(filter.q, count)}<div id="providers" class="provider-list">${part}</div>`,
  };
};
