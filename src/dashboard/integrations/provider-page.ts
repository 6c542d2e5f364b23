import type { EventLine } from '../../events/index.ts';
import {
  DEFAULT_CONNECTION,
  type ListedProvider,
  type OperatorWebhook,
  type ProviderEvidence,
  type SetUp,
  type WebhookSetUp,
} from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { pill } from '../display/pill.ts';
import { historySection } from '../events/history-section.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { type ConnectDraft, connectForm } from './connecting/connect-form.ts';
import { connectLink, disconnectLink, requestsLink, scopesLink } from './connecting/connect-link.ts';
import { knowsParams, linkAgain } from './connecting/link-again.ts';
import { siteLink } from './connecting/site-form.ts';
import { connectionStory } from './connection-story.ts';
import { connectionPill } from './connection-words.ts';
import { type Entry, isReady, type ShownConnection, shownAccountName, usesKey } from './entry.ts';
import { evidenceSection } from './evidence-section.ts';
import { logo } from './logos/logo.ts';
import { peopleSection, type ShownPeople } from './people/people-section.ts';
import { setUpPart } from './set-up-part.ts';
import type { UsageFinder } from './usage.ts';
import { webhookSection } from './webhooks/webhook-section.ts';

type ProviderView = {
  entry: Entry;
  /** Null if the provider was removed from the catalog and only its connections are left. */
  setUp: SetUp | null;
  usageOf: UsageFinder;
  evidence: ProviderEvidence;
  /** The latest events about any of the provider's connections. */
  history: readonly EventLine[];
  /** For each connection, whether callers are looked up and calls logged. Empty if that's impossible. */
  people: readonly ShownPeople[];
  /** How the team receives the provider's webhooks. Null if it can't, or for members. */
  webhooks: WebhookSetUp | null;
  /** The state of the operator's address for webhooks. Null for all but admins of the operator's team. */
  operatorWebhook: OperatorWebhook | null;
  /** The values of a connect form that was refused. */
  asked?: ConnectDraft;
  /** The values of a credentials form that was refused. */
  draft?: Parameters<typeof setUpPart>[1]['draft'];
  /** The value of a scopes form that was refused. */
  scopesDraft?: string;
};

const connectionCard = ({ region, role }: Person, view: ProviderView, connection: ShownConnection): Html => {
  const { entry, setUp } = view;
  const { status } = connection;
  const word = status === 'needs_reconnect' ? null : entry.provider?.sites;
  const story = connectionStory(connection, view.usageOf(connection), {
    ...{ region, isOnly: entry.connections.length === 1, siteWord: entry.provider?.sites ?? null },
  });
  return card({
    title: shownAccountName(connection),
    beside: pill(...connectionPill([connection], region)),
    content: html`${story}
<div class="integration-actions">${word && siteLink(connection, word)}${linkAgain(entry, setUp, connection)}${isReady(entry) && !usesKey(entry) && scopesLink(connection)}${role === 'admin' && requestsLink(connection)}${disconnectLink(connection)}</div>`,
  });
};

/** The first connect: a link if all values are known, otherwise a form that asks for them. */
const firstConnect = ({ entry, setUp, asked }: ProviderView, provider: ListedProvider): Html => {
  const params = setUp?.params ?? {};
  const draft = asked ?? { connection: DEFAULT_CONNECTION, params, scopes: provider.scopes.join(' ') };
  const form = connectForm(provider, draft, { asksName: false, isOpen: asked !== undefined });
  const isKnown = usesKey(entry) || knowsParams(provider, params);
  return card({
    title: 'Not connected yet',
    content: isKnown
      ? html`<div class="integration-actions">${connectLink(entry, params)}</div><details${asked && html` open`}><summary>${usesKey(entry) ? 'Connect under another name' : 'Connect with other details or scopes'}</summary>${form}</details>`
      : form,
  });
};

/** Connects another account of the same provider. */
const connectMore = ({ setUp, asked }: ProviderView, provider: ListedProvider): Html => {
  const draft = asked ?? { connection: '', params: setUp?.params ?? {}, scopes: provider.scopes.join(' ') };
  const form = connectForm(provider, draft, { asksName: true, isOpen: asked !== undefined });
  return html`<div class="card"><details${asked && html` open`}><summary>Connect another account</summary>${form}</details></div>`;
};

const standings = (person: Person, view: ProviderView): Html | null => {
  const { provider, connections } = view.entry;
  const canConnect = provider !== null && isReady(view.entry);
  if (connections.length === 0 && !canConnect) return null;
  const sheets = connections.map((connection) => connectionCard(person, view, connection));
  const connect = canConnect && (connections.length === 0 ? firstConnect : connectMore)(view, provider);
  return html`<div class="standings">${sheets}${connect}</div>`;
};

/** Names a connection in the history. Only if there are several. */
const connectionNamer =
  ({ entry, setUp }: ProviderView) =>
  (id: string): string | undefined =>
    entry.connections.length > 1 ? setUp?.names.get(id) : undefined;

const KINDS = {
  oauth2: 'OAuth',
  api_key: 'API key',
  basic: 'Username and password',
  client_credentials: 'Client ID and secret',
};

const aboutLine = (entry: Entry): Html => {
  const { provider } = entry;
  const facts = [entry.category, ...(provider ? [KINDS[provider.kind]] : [])];
  return html`<div class="provider-about"><p class="quiet">${facts.join(' · ')}${provider?.docs && html` · <a class="outside" href="${provider.docs}" rel="noreferrer">Where to find it</a>`}</p></div>`;
};

/** The page of one provider. */
export const providerPage = (person: Person, view: ProviderView): DashboardPage => {
  const { entry, setUp, operatorWebhook, draft, scopesDraft } = view;
  const { provider } = entry;
  return {
    title: entry.name,
    mark: logo(entry),
    content: html`${aboutLine(entry)}${provider?.retired && html`<div class="notice bad"><p>${entry.name} can no longer be connected. ${provider.retired}</p></div>`}<div class="provider">${standings(person, view)}
${provider?.kind === 'oauth2' && setUp && !provider.retired && setUpPart(person, { provider, setUp, operatorWebhook, draft, scopesDraft })}</div>
${provider && !provider.retired && peopleSection(person, { provider, people: view.people })}
${provider && view.webhooks && !provider.retired && webhookSection(person, { provider, webhooks: view.webhooks })}
${provider && setUp && !provider.retired && evidenceSection(person, { provider, setUp, evidence: view.evidence })}${historySection({ lines: view.history, region: person.region, nameOf: connectionNamer(view) })}`,
  };
};
