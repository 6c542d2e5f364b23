import { connectionTitle, DEFAULT_CONNECTION } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { requestsAddress } from '../../requests/request-filter.ts';
import { type Entry, type ShownConnection, usesKey } from '../entry.ts';

/** The options of a connect, besides the provider. */
type Wish = {
  /** The connection's name. */
  connection?: string;
  params?: Readonly<Record<string, string>>;
  /** The scopes to request. Null for the defaults. */
  scopes?: readonly string[] | null;
  /**
   * Whether a different account may replace the one under this name. Set only if the person has confirmed it, or if nobody
   * can tell whether it's a different one.
   */
  replace?: boolean;
};

/** The URL that leads to the provider and back. Includes the team, because another tab may have switched teams. */
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

/** Whether the page must ask for params first. The form for a key asks for them itself. */
const wantsParams = (entry: Entry): boolean =>
  !usesKey(entry) && (entry.provider?.params.some(({ default: standard }) => standard === null) ?? false);

const buttonTo = (address: string, verb: string, what: string, kind: 'plain' | '' = ''): Html =>
  html`<a class="button${kind && ` ${kind}`}" href="${address}">${verb}<span class="unseen"> ${what}</span></a>`;

/** The Connect button. It's a link, because a form can't lead to a provider (Content-Security-Policy, form-action). */
export const connectLink = (entry: Entry, params?: Wish['params']): Html => {
  const asksFirst = params === undefined && wantsParams(entry);
  const address = asksFirst ? `/integrations/${entry.id}` : connectAddress(entry, params && { params });
  return buttonTo(address, 'Connect', entry.name);
};

/** Reconnects an account, or replaces its key. Without `wish`, leads to the provider's page, which asks for values. */
export const reconnectLink = (entry: Entry, held: ShownConnection, wish?: Wish): Html => {
  const { account, connection, status } = held;
  const address = wish
    ? connectAddress(entry, { ...wish, connection, replace: account.id === null })
    : `/integrations/${entry.id}`;
  const [verb, what] = usesKey(entry) ? ['Enter a new key', 'for '] : ['Reconnect', ''];
  return buttonTo(address, verb, `${what}${connectionTitle(held)}`, status === 'needs_reconnect' ? '' : 'plain');
};

export const scopesLink = (held: ShownConnection): Html =>
  buttonTo(
    `/integrations/${held.provider}/connections/${held.connection}/scopes`,
    'Change scopes',
    `of ${connectionTitle(held)}`,
    'plain',
  );

export const disconnectLink = (held: ShownConnection): Html =>
  buttonTo(
    `/integrations/${held.provider}/connections/${held.connection}/disconnect`,
    'Disconnect',
    connectionTitle(held),
    'plain',
  );

/** Leads admins to what was requested with a connection. */
export const requestsLink = ({ provider, connection, name }: ShownConnection): Html =>
  buttonTo(
    requestsAddress({ provider, connection }),
    'Requests',
    `to ${connectionTitle({ name, connection })}`,
    'plain',
  );
