import { type Html, html } from '../../platform/index.ts';
import type { Catalogue } from '../catalogue/provider.ts';
import { connectionTitle, DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import type { Integration } from '../connections/status.ts';
import type { Actions } from './hosted-pages.ts';

type Outcome = Partial<Record<'provider' | 'connection' | 'outcome' | 'error', string>>;

const status = (text: string): Html => html`<p role="status">${text}</p>`;

/**
 * Shown if the person chose a different account than the one under this name. The old account is replaced only if they
 * confirm.
 */
const taken = (title: string, href: string): Html =>
  html`<div role="status"><p>${title} hasn’t changed, because you chose a different account.</p>
<p><a class="button plain" href="${href}">Replace the account</a></p></div>`;

/** Describes the outcome, in words that don't contradict the list of accounts below it. */
export const outcomeNotice = (
  catalogue: Catalogue,
  integrations: readonly Integration[],
  { provider = '', connection = DEFAULT_CONNECTION, outcome, error }: Outcome,
  actions: Actions,
): Html | null => {
  const { name } = catalogue.get(provider)?.record ?? {};
  if (name === undefined || outcome === undefined) return null;
  const now = integrations.find((one) => one.provider === provider && one.connection === connection);
  const isThere = now !== undefined && now.status !== 'disconnected';
  const title = now ? connectionTitle(now) : name;
  if (outcome === 'connected') return isThere ? status(`${title} is connected.`) : null;
  if (isThere && error === 'integrations.name_taken') return taken(title, actions.add(provider, connection));
  const what = isThere ? `${title} hasn’t changed` : `${title} wasn’t connected`;
  return status(
    error === 'integrations.access_denied' ? `${what}, because access was declined.` : `${what}. Try again.`,
  );
};
