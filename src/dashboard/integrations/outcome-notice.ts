import { Type } from 'typebox';
import { type Html, html } from '../../platform/index.ts';

/** What a callback that returns here has added to the address. */
export const OutcomeQuery = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 60 })),
  outcome: Type.Optional(Type.String({ maxLength: 20 })),
  error: Type.Optional(Type.String({ maxLength: 100 })),
  attempt: Type.Optional(Type.String({ maxLength: 100 })),
});

export type Outcome = { name: string; provider: string; outcome: string; error: string; attempt: string };

/** Anybody can write such an address: it is told as news and changes nothing. */
export const outcomeNotice = ({ name, provider, outcome, error, attempt }: Outcome): Html | null => {
  if (outcome === 'connected') return html`<p role="status">${name} is connected.</p>`;
  if (outcome === 'confirm')
    return html`<p role="status">${name} is not connected yet: <a href="/integrations/${provider}/finish?attempt=${attempt}">finish it</a>.</p>`;
  if (outcome !== 'failed') return null;
  return error === 'integrations.access_denied'
    ? html`<p role="status">${name} was not connected: the request was declined there.</p>`
    : html`<p role="status">${name} was not connected <span class="quiet">(${error})</span>.</p>`;
};
