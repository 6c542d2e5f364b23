import { connectionTitle, DEFAULT_CONNECTION } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { Connection, Entry } from '../entry.ts';

/** What a connect asks for, besides the provider. */
export type Wish = {
  /** The connection's name. */
  connection?: string;
  params?: Readonly<Record<string, string>>;
  /** Null: the defaults. */
  scopes?: readonly string[] | null;
  /** Whether a different account may replace the one under this name: only if the person was asked. */
  replace?: boolean;
};

/** Leads to the provider and back to its page here. Names the team, which may have been switched in another tab. */
export const connectAddress = (
  { id, teamId }: Pick<Entry, 'id' | 'teamId'>,
  { connection = DEFAULT_CONNECTION, params = {}, scopes = null, replace = false }: Wish = {},
): string => {
  const query = new URLSearchParams({ returnTo: `/integrations/${id}`, team: teamId });
  if (connection !== DEFAULT_CONNECTION) query.set('connection', connection);
  if (!replace) query.set('replace', 'false');
  if (scopes) query.set('scopes', scopes.join(' '));
  for (const [name, value] of Object.entries(params)) query.set(`params.${name}`, value);
  return `/api/integrations/${id}/connect?${query}`;
};

const wantsParams = ({ provider }: Entry): boolean =>
  provider?.params.some(({ default: standard }) => standard === null) ?? false;

export const disconnectLink = (connection: Connection): Html =>
  html`<a class="button plain" href="/integrations/${connection.provider}/connections/${connection.connection}/disconnect">Disconnect<span class="unseen"> ${connectionTitle(connection)}</span></a>`;

type Look = {
  kind?: 'plain';
  /** The one to connect again. */
  connection?: Connection;
  params?: Readonly<Record<string, string>>;
};

/** Connect is a link because a form couldn't lead to a provider (Content-Security-Policy, form-action). */
export const connectLink = (entry: Entry, { kind, connection, params }: Look = {}): Html => {
  const { id, name } = entry;
  const asksFirst = params === undefined && wantsParams(entry);
  const wish = { ...(connection && { connection: connection.connection }), ...(params && { params }) };
  return html`<a class="button${kind && ` ${kind}`}" href="${asksFirst ? `/integrations/${id}` : connectAddress(entry, wish)}">${connection ? 'Reconnect' : 'Connect'}<span class="unseen"> ${connection ? connectionTitle(connection) : name}</span></a>`;
};
