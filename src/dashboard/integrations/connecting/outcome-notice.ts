import { type Html, html, Type } from '../../../platform/index.ts';
import { badNotice, goodNotice } from '../../notice.ts';
import type { Entry } from '../entry.ts';
import { wordsOf } from './outcome-words.ts';

/** What a callback that returns here adds to the query. */
export const OUTCOME_QUERY = {
  provider: Type.Optional(Type.String({ maxLength: 60 })),
  outcome: Type.Optional(Type.String({ maxLength: 20 })),
  error: Type.Optional(Type.String({ maxLength: 100 })),
  attempt: Type.Optional(Type.String({ maxLength: 100 })),
};

export type Outcome = { outcome?: string; error?: string; attempt?: string };

const connected = ({ name, connection }: Entry): Html | null => {
  if (!connection) return null;
  const label = connection.account.label;
  return goodNotice(
    html`${name} is connected${label && html` as <strong>${label}</strong>`}. Your team can use it now.`,
  );
};

/** What our codes look like. Anything else in the query could be anyone's words. */
const CODE = /^[a-z_]+(?:\.[a-z_]+)*$/;

const failed = (name: string, error: string): Html => {
  const words =
    wordsOf(error, name) ??
    html`Try connecting again.${CODE.test(error) && html` <span class="quiet">${error}</span>`}`;
  return badNotice(html`<strong>${name} was not connected.</strong> ${words}`);
};

const unfinished = ({ id, name }: Entry, attempt: string): Html =>
  html`<div class="notice warn" role="status"><p><strong>${name} is not connected yet.</strong> Whoever started the connection must finish it within ten minutes.</p>
<p><a class="button" href="/integrations/${id}/finish?attempt=${encodeURIComponent(attempt)}">Finish connecting ${name}</a></p></div>`;

/** Anyone can write such a URL, so this is only a message and changes nothing. */
export const outcomeNotice = (entry: Entry, { outcome, error = '', attempt = '' }: Outcome): Html | null => {
  if (outcome === 'connected') return connected(entry);
  if (outcome === 'confirm') return unfinished(entry, attempt);
  return outcome === 'failed' ? failed(entry.name, error) : null;
};
