import type { Page } from '../../http/index.ts';
import type { SetUp } from '../../integrations/index.ts';
import { type Html, html, type Refusal } from '../../platform/index.ts';
import { connectForm } from './connecting/connect-form.ts';
import { connectLink } from './connecting/connect-link.ts';
import { connectionState } from './connection-state.ts';
import { connectionStory } from './connection-story.ts';
import type { CredentialsDraft } from './credentials/credentials-form.ts';
import { flawNotice } from './credentials/flaw-notice.ts';
import { setUpSteps, setUpSummary } from './credentials/set-up.ts';
import { categoryName, type Entry, isReady } from './entry.ts';
import { monogram } from './monogram.ts';

export type ProviderView = {
  entry: Entry;
  /** Null for a connection whose provider has left the catalog. */
  setUp: SetUp | null;
  timeZone: string;
  isAdmin: boolean;
  csrfToken: string;
  notice?: Html | null;
  /** A connect form that was refused. */
  asked?: { params: Readonly<Record<string, string>>; problem: Refusal } | null;
  /** A credentials form that was refused. */
  draft?: CredentialsDraft | null;
};

type Ways = { link: Html | null; form: Html | null };

/** How to connect: a link if everything is known, a form if there is something to ask. */
const waysToConnect = ({ entry, setUp, asked = null }: ProviderView): Ways => {
  const { provider, connection } = entry;
  if (!provider || !setUp || !isReady(entry)) return { link: null, form: null };
  const kind = connection && connection.status !== 'needs_reconnect' ? { kind: 'plain' as const } : {};
  if (provider.params.length === 0) return { link: connectLink(entry, kind), form: null };
  const { params } = setUp;
  const form = html`${asked && flawNotice(asked.problem)}${connectForm(provider, asked?.params ?? params)}`;
  const isKnown = provider.params.every(({ name, default: standard }) => standard !== null || name in params);
  if (!isKnown) return { link: null, form };
  return {
    link: connectLink(entry, { ...kind, params }),
    form: html`<details${asked ? html` open` : ''}><summary>Connect with other details</summary>${form}</details>`,
  };
};

const standing = (view: ProviderView): Html => {
  const { entry, timeZone } = view;
  const { id, name, category, connection } = entry;
  const { link, form } = waysToConnect(view);
  const away =
    connection &&
    html`<a class="button plain" href="/integrations/${id}/disconnect">Disconnect<span class="unseen"> ${name}</span></a>`;
  return html`<div class="sheet standing"><div class="integration-title">${monogram(entry)}<div>${connectionState(connection?.status ?? 'disconnected')}
<span class="quiet">${categoryName(category)}</span></div></div>
${connection && connectionStory(connection, timeZone)}
${link || away ? html`<div class="integration-actions">${link}${away}</div>` : ''}${form}</div>`;
};

const retiredNote = ({ provider, name }: Entry): Html | null =>
  provider?.retired
    ? html`<div class="notice bad"><p>${name} can no longer be connected. ${provider.retired}</p></div>`
    : null;

const setUpPart = ({ entry, setUp, isAdmin, csrfToken, draft = null }: ProviderView): Html | null => {
  const { provider } = entry;
  if (!provider || !setUp || provider.retired) return null;
  const view = { provider, setUp, isAdmin, draft, csrfToken };
  return provider.configured ? setUpSummary(view) : setUpSteps(view);
};

/** Everything about one provider. */
export const providerPage = (view: ProviderView): Page => {
  const { entry, notice = null } = view;
  const showsStanding = entry.connection !== null || isReady(entry);
  return {
    title: entry.name,
    content: html`${notice}${retiredNote(entry)}<div class="provider">${showsStanding ? standing(view) : ''}
${setUpPart(view)}</div>
<p class="integrations-back"><a href="/integrations">All integrations</a></p>`,
  };
};
