import type { SetUp } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { connectForm } from './connecting/connect-form.ts';
import { connectLink, disconnectLink } from './connecting/connect-link.ts';
import { connectionState, connectionStory } from './connection-story.ts';
import { categoryName, type Entry, isReady } from './entry.ts';
import { monogram } from './monogram.ts';
import { setUpPart } from './set-up-part.ts';

type ProviderView = {
  entry: Entry;
  /** Null for a connection whose provider has left the catalog. */
  setUp: SetUp | null;
  /** What was entered in a connect form that was refused. */
  asked?: Readonly<Record<string, string>>;
  /** A credentials form that was refused. */
  draft?: Parameters<typeof setUpPart>[1]['draft'];
};

type Ways = { link: Html | null; form: Html | null };

/** How to connect: a link if everything is known, a form if there is something to ask. */
const waysToConnect = ({ entry, setUp, asked }: ProviderView): Ways => {
  const { provider, connection } = entry;
  if (!provider || !setUp || !isReady(entry)) return { link: null, form: null };
  const kind = connection && connection.status !== 'needs_reconnect' ? { kind: 'plain' as const } : {};
  if (provider.params.length === 0) return { link: connectLink(entry, kind), form: null };
  const { params } = setUp;
  const form = connectForm(provider, asked ?? params);
  const isKnown = provider.params.every(({ name, default: standard }) => standard !== null || name in params);
  if (!isKnown) return { link: null, form };
  return {
    link: connectLink(entry, { ...kind, params }),
    form: html`<details${asked && html` open`}><summary>Connect with other details</summary>${form}</details>`,
  };
};

const standing = ({ team }: Person, view: ProviderView): Html => {
  const { category, connection } = view.entry;
  const { link, form } = waysToConnect(view);
  const away = connection && disconnectLink(view.entry);
  return html`<div class="sheet standing"><div class="integration-title">${monogram(view.entry)}<div>${connectionState(connection?.status ?? 'disconnected')}
<span class="quiet">${categoryName(category)}</span></div></div>
${connection && connectionStory(connection, team.timeZone)}
${(link || away) && html`<div class="integration-actions">${link}${away}</div>`}${form}</div>`;
};

/** Everything about one provider. */
export const providerPage = (person: Person, view: ProviderView): DashboardPage => {
  const { entry, setUp, draft } = view;
  const { provider } = entry;
  const showsStanding = entry.connection !== null || isReady(entry);
  return {
    title: entry.name,
    content: html`${provider?.retired && html`<div class="notice bad"><p>${entry.name} can no longer be connected. ${provider.retired}</p></div>`}<div class="provider">${showsStanding && standing(person, view)}
${provider && setUp && !provider.retired && setUpPart(person, { provider, setUp, draft })}</div>
<p class="integrations-back"><a href="/integrations">All integrations</a></p>`,
  };
};
