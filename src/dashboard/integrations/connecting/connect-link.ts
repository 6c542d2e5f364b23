import { type Html, html } from '../../../platform/index.ts';
import type { Entry } from '../entry.ts';

/** Leads to the provider and back to its page here. Names the team, which may have been switched in another tab. */
export const connectAddress = (
  { id, teamId }: Pick<Entry, 'id' | 'teamId'>,
  params: Readonly<Record<string, string>> = {},
): string => {
  const query = new URLSearchParams({ returnTo: `/integrations/${id}`, team: teamId });
  for (const [name, value] of Object.entries(params)) query.set(`params.${name}`, value);
  return `/api/integrations/${id}/connect?${query}`;
};

const wantsParams = ({ provider }: Entry): boolean =>
  provider?.params.some(({ default: standard }) => standard === null) ?? false;

export const disconnectLink = ({ id, name }: Entry): Html =>
  html`<a class="button plain" href="/integrations/${id}/disconnect">Disconnect<span class="unseen"> ${name}</span></a>`;

type Look = { kind?: 'plain'; params?: Readonly<Record<string, string>> };

/** Connect is a link because a form couldn't lead to a provider (Content-Security-Policy, form-action). */
export const connectLink = (entry: Entry, { kind, params }: Look = {}): Html => {
  const { id, name, connection } = entry;
  const asksFirst = params === undefined && wantsParams(entry);
  return html`<a class="button${kind && ` ${kind}`}" href="${asksFirst ? `/integrations/${id}` : connectAddress(entry, params)}">${connection ? 'Reconnect' : 'Connect'}<span class="unseen"> ${name}</span></a>`;
};
