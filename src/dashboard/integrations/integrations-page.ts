import { type Html, html } from '../../platform/index.ts';
import type { Region } from '../display/region.ts';
import type { DashboardPage } from '../frame.ts';
import { sectionHead } from '../parts.ts';
import { connectAddress } from './connecting/connect-link.ts';
import { categoryName, type Entry } from './entry.ts';
import { integrationCard } from './integration-card.ts';
import { logo } from './logos/logo.ts';
import { type Filter, findEntries, listCategories, toShelves } from './shelves.ts';
import type { UsageFinder } from './usage.ts';

type IntegrationsView = {
  entries: readonly Entry[];
  usageOf: UsageFinder;
  filter: Filter;
  region: Region;
  now: number;
};

const searchForm = ({ q, category }: Filter): Html =>
  html`<form class="search row" role="search" action="/integrations">
<p class="field"><label for="q">Find a provider</label><input id="q" name="q" type="search" value="${q}" maxlength="100" autocomplete="off"></p>
${category !== null && html`<input type="hidden" name="category" value="${category}">`}<button class="plain">Search</button></form>`;

const addressOf = ({ q, category }: Filter): string => {
  const query = new URLSearchParams();
  if (q !== '') query.set('q', q);
  if (category !== null) query.set('category', category);
  return query.size === 0 ? '/integrations' : `/integrations?${query}`;
};

const categoryLinks = (entries: readonly Entry[], { q, category }: Filter): Html => {
  const found = findEntries(entries, { q, category: null });
  const links = [{ name: null, count: found.length }, ...listCategories(found)];
  return html`<nav class="categories" aria-label="Categories">${links.map(
    ({ name, count }) =>
      html`<a href="${addressOf({ q, category: name })}"${name === category && html` aria-current="true"`}>${name === null ? 'All' : categoryName(name)} <span>${count}</span></a>`,
  )}</nav>`;
};

/** A card for each connection, or one for a provider without any. */
const cardsOf = (entry: Entry, { usageOf, region, now }: IntegrationsView): Html[] =>
  (entry.connections.length === 0 ? [null] : entry.connections).map((connection) =>
    integrationCard({ entry, connection, usageOf, region, now }),
  );

const cards = (entries: readonly Entry[], view: IntegrationsView): Html | null =>
  entries.length === 0 ? null : html`<ul class="integrations">${entries.flatMap((entry) => cardsOf(entry, view))}</ul>`;

const tiles = (entries: readonly Entry[]): Html | null =>
  entries.length === 0
    ? null
    : html`<ul class="tiles">${entries.map(
        (entry) =>
          html`<li><a href="/integrations/${entry.id}">${logo(entry)}<span>${entry.name}<span class="quiet">${entry.provider?.retired ? 'Retired' : categoryName(entry.category)}</span></span></a></li>
`,
      )}</ul>`;

/** What to do first. Outside production, the sandbox needs no account. */
const nothingConnected = (ready: readonly Entry[]): Html => {
  const sandbox = ready.find(({ id }) => id === 'sandbox');
  const next =
    ready.length > 0
      ? "Choose a provider below that's ready to connect. You'll be sent there to approve access, or asked for a key."
      : 'Choose a provider from the catalog. Its page shows which callback URL to register there and what to set here.';
  return html`<div class="empty no-integration"><h2>Nothing is connected yet</h2><p>${next}</p>
${sandbox && html`<p>The sandbox doesn't need an account. Try it first.</p><p><a class="button" href="${connectAddress(sandbox)}">Connect the sandbox</a></p>`}</div>`;
};

const everything = (view: IntegrationsView): Html => {
  const { connected, ready, catalogue } = toShelves(view.entries);
  return html`${connected.length === 0 ? nothingConnected(ready) : html`<h2>Connected</h2>${cards(connected, view)}`}
${ready.length > 0 && html`<h2>Ready to connect</h2>${cards(ready, view)}`}
${catalogue.length > 0 && html`<h2>Catalog</h2><p class="lead">Each provider needs an OAuth app first. Its page shows how to set one up.</p>${categoryLinks(view.entries, view.filter)}${tiles(catalogue)}`}`;
};

const describe = ({ q, category }: Filter, count: number): string =>
  [
    count === 1 ? '1 provider' : `${count === 0 ? 'No' : count} providers`,
    ...(q === '' ? [] : [`for “${q}”`]),
    ...(category === null ? [] : [`in ${categoryName(category)}`]),
  ].join(' ');

const found = (view: IntegrationsView): Html => {
  const entries = findEntries(view.entries, view.filter);
  const { connected, ready, catalogue } = toShelves(entries);
  return html`${sectionHead(describe(view.filter, entries.length), '/integrations', 'Show all')}
${categoryLinks(view.entries, view.filter)}
${entries.length === 0 && html`<p>You can add any provider with OAuth or API keys. Describe it in a JSON file and set <code>PATCHBAY_PROVIDERS</code> to its path.</p>`}
${cards(connected, view)}${cards(ready, view)}${tiles(catalogue)}`;
};

export const integrationsPage = (view: IntegrationsView): DashboardPage => {
  const { q, category } = view.filter;
  const shown = q === '' && category === null ? everything(view) : found(view);
  return { title: 'Integrations', content: html`${searchForm(view.filter)}${shown}` };
};
