import type { EventLine } from '../../events/index.ts';
import { DEFAULT_CONNECTION, type ListedProvider, type SetUp } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { historySection } from '../events/history-section.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { type ConnectDraft, connectForm } from './connecting/connect-form.ts';
import { connectLink, disconnectLink, reconnectLink, scopesLink } from './connecting/connect-link.ts';
import { connectionState, connectionStory } from './connection-story.ts';
import { type Connection, categoryName, type Entry, isReady, usesKey } from './entry.ts';
import { logo } from './logos/logo.ts';
import { setUpPart } from './set-up-part.ts';
import type { UsageFinder } from './usage.ts';

type ProviderView = {
  entry: Entry;
  /** Null if the provider has left the catalog and only its connections are left. */
  setUp: SetUp | null;
  usageOf: UsageFinder;
  /** The last events about any of its connections. */
  history: readonly EventLine[];
  /** What was entered in a connect form that was refused. */
  asked?: ConnectDraft;
  /** A credentials form that was refused. */
  draft?: Parameters<typeof setUpPart>[1]['draft'];
};

const knowsParams = ({ params }: ListedProvider, known: Readonly<Record<string, string>>): boolean =>
  params.every(({ name, default: standard }) => standard !== null || name in known);

/** Connects it again, with what was entered the first time. Null if that's not enough anymore. */
const linkAgain = ({ entry, setUp }: ProviderView, connection: Connection): Html | null => {
  const { provider } = entry;
  const wish = setUp?.again.get(connection.connection);
  if (!provider || !wish || !isReady(entry)) return null;
  if (!usesKey(entry) && !knowsParams(provider, wish.params)) return null;
  return reconnectLink(entry, connection, wish);
};

const connectionSheet = ({ region }: Person, view: ProviderView, connection: Connection): Html => {
  const { entry } = view;
  return html`<div class="sheet standing"><div class="integration-title">${logo(entry)}<div>${connectionState(connection.status)}
<span class="quiet">${categoryName(entry.category)}</span></div></div>
${connectionStory(connection, view.usageOf(connection), { region, isOnly: entry.connections.length === 1 })}
<div class="integration-actions">${linkAgain(view, connection)}${isReady(entry) && !usesKey(entry) && scopesLink(connection)}${disconnectLink(connection)}</div></div>`;
};

/** The first connect: a link if everything is known, a form if there is something to ask. */
const firstConnect = ({ entry, setUp, asked }: ProviderView, provider: ListedProvider): Html => {
  const params = setUp?.params ?? {};
  const draft = asked ?? { connection: DEFAULT_CONNECTION, params, scopes: provider.scopes.join(' ') };
  const form = connectForm(provider, draft, { asksName: false, isOpen: asked !== undefined });
  const isKnown = usesKey(entry) || knowsParams(provider, params);
  return html`<div class="sheet standing"><div class="integration-title">${logo(entry)}<div>${connectionState('disconnected')}
<span class="quiet">${categoryName(entry.category)}</span></div></div>
${
  isKnown
    ? html`<div class="integration-actions">${connectLink(entry, params)}</div><details${asked && html` open`}><summary>${usesKey(entry) ? 'Connect under another name' : 'Connect with other details or scopes'}</summary>${form}</details>`
    : form
}</div>`;
};

/** Another account of the same provider, or the same one with other details. */
const connectMore = ({ setUp, asked }: ProviderView, provider: ListedProvider): Html => {
  const draft = asked ?? { connection: '', params: setUp?.params ?? {}, scopes: provider.scopes.join(' ') };
  const form = connectForm(provider, draft, { asksName: true, isOpen: asked !== undefined });
  return html`<div class="sheet"><details${asked && html` open`}><summary>Connect another account</summary>${form}</details></div>`;
};

const standings = (person: Person, view: ProviderView): Html | null => {
  const { provider, connections } = view.entry;
  const canConnect = provider !== null && isReady(view.entry);
  if (connections.length === 0 && !canConnect) return null;
  const sheets = connections.map((connection) => connectionSheet(person, view, connection));
  const connect = canConnect && (connections.length === 0 ? firstConnect : connectMore)(view, provider);
  return html`<div class="standings">${sheets}${connect}</div>`;
};

/** Names are only needed if there is something to tell apart. */
const connectionNamer =
  ({ entry, setUp }: ProviderView) =>
  (id: string): string | undefined =>
    entry.connections.length > 1 ? setUp?.names.get(id) : undefined;

/** Everything about one provider. */
export const providerPage = (person: Person, view: ProviderView): DashboardPage => {
  const { entry, setUp, draft } = view;
  const { provider } = entry;
  return {
    title: entry.name,
    content: html`${provider?.retired && html`<div class="notice bad"><p>${entry.name} can no longer be connected. ${provider.retired}</p></div>`}<div class="provider">${standings(person, view)}
${provider?.kind === 'oauth2' && setUp && !provider.retired && setUpPart(person, { provider, setUp, draft })}</div>
${historySection({ lines: view.history, region: person.region, nameOf: connectionNamer(view) })}
<p class="integrations-back"><a href="/integrations">All integrations</a></p>`,
  };
};
